internal import Glibc
internal import Supervision

/// Signals that may be sent on purpose.
enum FaultSignal {
    /// `KILL`, `SIGKILL`, `sigkill`, `SIGRTMIN+2` or `9`.
    static func number(_ text: String) throws(FaultRefusal) -> Int32 {
        let upper = text.uppercased()
        let name = upper.hasPrefix("SIG") ? upper : "SIG" + upper
        let found = (1...64).first { signalName($0) == name || String($0) == text }
        guard let found = found.map({ Int32($0) }), signalName(found).hasPrefix("SIG") else {
            throw .usage("there is no signal \"\(text.prefix(40))\"; give a name like SIGTERM")
        }
        switch found {
        case SIGUSR1:
            throw .usage(
                "SIGUSR1 belongs to the JavaScript engine: its collector suspends threads with it, and one from outside"
                    + " breaks every process that holds a virtual machine; use SIGKILL or SIGTERM")
        case SIGUSR2:
            throw .usage(
                "SIGUSR2 is what loops in components are undone with, where faults are allowed; use SIGKILL or SIGTERM")
        case SIGSEGV, SIGBUS:
            throw .usage(
                "\(signalName(found)) belongs to the JavaScript engine, which catches traps of compiled code with it; use"
                    + " SIGABRT for a crash")
        case SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU:
            throw .usage("\(signalName(found)) stops a process for good; use the kind pause, which is undone")
        default: return found
        }
    }
}

/// Errors of the system that may stand for a refusal.
enum FaultErrno {
    private static let all: [(String, Int32)] = [
        ("EAGAIN", EAGAIN), ("ENOMEM", ENOMEM), ("EMFILE", EMFILE), ("ENFILE", ENFILE), ("EACCES", EACCES),
        ("EPERM", EPERM), ("ENOENT", ENOENT), ("ENOEXEC", ENOEXEC), ("ETXTBSY", ETXTBSY), ("EIO", EIO),
        ("ENOSPC", ENOSPC), ("EROFS", EROFS), ("EDQUOT", EDQUOT),
    ]

    static var names: [String] { all.map(\.0) }
    static func number(_ text: String) -> Int32? { all.first { $0.0 == text.uppercased() }?.1 }
    static func name(_ number: Int32) -> String { all.first { $0.1 == number }?.0 ?? "\(number)" }
}
