import Glibc

/// How a process ended, as `waitid` tells it.
public enum ExitStatus: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
}

extension ExitStatus: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}

/// `SIGKILL` for 9, `SIGRTMIN+2` for 36; the number for a signal without a name.
public func signalName(_ signal: Int32) -> String {
    switch signal {
    // Of the real-time signals the C library keeps two for itself.
    case 34: "SIGRTMIN"
    case 35...64: "SIGRTMIN+\(signal - 34)"
    default: signalNames[signal] ?? "\(signal)"
    }
}

private let signalNames: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
    SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
    SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGSTKFLT: "SIGSTKFLT", SIGCHLD: "SIGCHLD",
    SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN", SIGTTOU: "SIGTTOU",
    SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF",
    SIGWINCH: "SIGWINCH", SIGPOLL: "SIGIO", SIGPWR: "SIGPWR", SIGSYS: "SIGSYS",
]
