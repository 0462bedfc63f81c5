/// Exit codes of `corehost`. Part of the interface: never renumbered.
public enum ExitCode: Int32, Sendable, CaseIterable {
    case ok = 0
    case failed = 1
    case usage = 2
    /// No such id, or an ambiguous one.
    case noSuchID = 3
    case notRunning = 4
    case timedOut = 5
    case refused = 6
    /// A component's service rejected the call; the exception stands on standard error as JSON.
    case callRejected = 7
    case probeFailed = 8

    // Only `run`:
    case dataFolderInUse = 10
    case dataFolderNotUsable = 11
    case badConfiguration = 12
    case bootFailed = 13
    case coreStalled = 14
    case coreBundleInvalid = 15

    /// One line for help texts.
    public var meaning: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .usage: "wrong usage"
        case .noSuchID: "no such component, or an ambiguous id"
        case .notRunning: "no supervisor is running there"
        case .timedOut: "timed out"
        case .refused: "refused"
        case .callRejected: "the call was rejected; the exception is on standard error, as JSON"
        case .probeFailed: "a probe failed"
        case .dataFolderInUse: "the data folder is in use by another supervisor"
        case .dataFolderNotUsable: "the data folder is not usable"
        case .badConfiguration: "the configuration is wrong"
        case .bootFailed: "the boot failed"
        case .coreStalled: "the core stalled"
        case .coreBundleInvalid: "the core's bundle is not valid"
        }
    }
}
