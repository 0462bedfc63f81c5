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
        case .signalled(let signal): "signal \(signalName(signal))"
        }
    }
}

/// `SIGKILL` for 9; the number for a signal without a name of its own.
public func signalName(_ signal: Int32) -> String {
    signalNames[signal] ?? "\(signal)"
}

/// 9 for `SIGKILL`, `KILL`, `kill` and `9`; nil for what is no signal.
public func signalNumber(_ name: String) -> Int32? {
    if let number = Int32(name) { return (1...64).contains(number) ? number : nil }
    let upper = name.uppercased()
    let full = upper.hasPrefix("SIG") ? upper : "SIG" + upper
    return signalNames.first { $0.value == full }?.key
}

private let signalNames: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
    SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
    SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGSTKFLT: "SIGSTKFLT", SIGCHLD: "SIGCHLD",
    SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN", SIGTTOU: "SIGTTOU",
    SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF",
    SIGWINCH: "SIGWINCH", SIGPOLL: "SIGIO", SIGPWR: "SIGPWR", SIGSYS: "SIGSYS",
]
