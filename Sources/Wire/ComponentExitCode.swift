/// Exit codes of `corehost-component`.
public enum ComponentExitCode: Int32, Sendable, CaseIterable {
    /// The component closed itself, or was told to.
    case closed = 0
    /// The program was not started by the supervisor.
    case usage = 2
    /// An uncaught error that no handler of the component took.
    case uncaughtError = 20
    /// An unhandled rejection that no handler of the component took.
    case unhandledRejection = 21
    /// The component's text cannot be parsed, or has a static `import` or `export`.
    case syntax = 22
    /// The supervisor's bytes on the data or control pipe break the protocol.
    case protocolViolation = 23
    /// The sandbox or a limit could not be set up.
    case sandbox = 24
    /// The supervisor is gone.
    case parentGone = 25
    /// The JavaScript engine, or a script of the platform, is missing or failed to load.
    case engineMissing = 26
    /// One call into JavaScript took longer than it may.
    case tightLoop = 27
    /// A system call that the sandbox refuses was made.
    case sandboxDenial = 28
    /// The engine got no more memory, and nothing in the component took that error.
    case outOfMemory = 29
}
