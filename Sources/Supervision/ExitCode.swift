/// Exit codes of `corehost` commands other than `run`.
public enum CommandExitCode: Int32, Sendable, CaseIterable {
    case ok = 0
    case failed = 1
    /// The arguments are not understood.
    case usage = 2
    /// No such component, or a prefix that fits several.
    case noSuchComponent = 3
    case supervisorNotRunning = 4
    case timedOut = 5
    /// Understood, but not allowed or not possible now.
    case refused = 6
    /// `call`: the service answered with an exception, which is printed as JSON on standard error.
    case callRejected = 7
    case probeFailed = 8
}

/// Exit codes of `corehost run`, beside 0 after an orderly end and 2 for arguments that are not understood.
public enum RunExitCode: Int32, Sendable, CaseIterable {
    case ok = 0
    case failed = 1
    /// Another supervisor has the data folder.
    case dataFolderInUse = 10
    /// The data folder cannot be made, read or written.
    case dataFolderUnusable = 11
    case badConfiguration = 12
    /// A step of the boot sequence failed; it was named, with script and line.
    case bootFailed = 13
    /// The core gave no turn for the longer of the two stall limits.
    case coreStalled = 14
    case coreBundleInvalid = 15
}
