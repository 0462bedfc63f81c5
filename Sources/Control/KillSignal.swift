import Glibc

/// A signal that a user may send to a component.
///
/// SIGUSR1, SIGSEGV and SIGBUS are the JavaScript engine's own (it suspends threads and catches traps with them), and
/// SIGCONT, SIGSTOP and the like are allowed because a stopped component is a case to be tried out.
public struct KillSignal: Sendable, Hashable {
    public let number: Int32
    /// With `SIG` in front.
    public let name: String

    public static let kill = KillSignal(number: SIGKILL, name: "SIGKILL")

    public enum Failure: Error, Equatable, CustomStringConvertible {
        case engine(String)
        case unknown(String)

        public var description: String {
            switch self {
            case .engine(let name): "\(name) belongs to the JavaScript engine; use \(KillSignal.suggestion)"
            case .unknown(let name): "there is no signal \"\(name)\"; use \(KillSignal.suggestion)"
            }
        }
    }

    /// `KILL`, `SIGKILL`, `sigkill` or `9`.
    public static func parse(_ text: String) -> Result<KillSignal, Failure> {
        let upper = text.uppercased()
        let name = upper.hasPrefix("SIG") ? upper : "SIG" + upper
        if let number = engine.first(where: { $0.name == name || String($0.number) == text }) {
            return .failure(.engine(number.name))
        }
        guard let found = allowed.first(where: { $0.name == name || String($0.number) == text }) else {
            return .failure(.unknown(text))
        }
        return .success(found)
    }

    package static let expected = "the name of a signal, none of the engine's (SIGUSR1, SIGSEGV, SIGBUS)"
    private static let suggestion = "one of " + allowed.map(\.name).joined(separator: ", ")

    private static let engine = [
        KillSignal(number: SIGUSR1, name: "SIGUSR1"), KillSignal(number: SIGSEGV, name: "SIGSEGV"),
        KillSignal(number: SIGBUS, name: "SIGBUS"),
    ]

    private static let allowed = [
        kill, KillSignal(number: SIGTERM, name: "SIGTERM"), KillSignal(number: SIGINT, name: "SIGINT"),
        KillSignal(number: SIGHUP, name: "SIGHUP"), KillSignal(number: SIGQUIT, name: "SIGQUIT"),
        KillSignal(number: SIGABRT, name: "SIGABRT"), KillSignal(number: SIGSTOP, name: "SIGSTOP"),
        KillSignal(number: SIGCONT, name: "SIGCONT"), KillSignal(number: SIGUSR2, name: "SIGUSR2"),
        KillSignal(number: SIGALRM, name: "SIGALRM"), KillSignal(number: SIGILL, name: "SIGILL"),
        KillSignal(number: SIGFPE, name: "SIGFPE"), KillSignal(number: SIGTRAP, name: "SIGTRAP"),
        KillSignal(number: SIGXCPU, name: "SIGXCPU"), KillSignal(number: SIGSYS, name: "SIGSYS"),
    ]
}
