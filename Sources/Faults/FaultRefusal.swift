/// Why a fault is not injected, in words that name what was given and what to do.
public enum FaultRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was asked for makes no sense, whatever the platform does.
    case usage(String)
    /// The selector names nothing that is there.
    case noTarget(String)
    /// It does not go with what is in force, or with the state of things.
    case refused(String)

    public var description: String {
        switch self {
        case .usage(let text), .noTarget(let text), .refused(let text): text
        }
    }
}
