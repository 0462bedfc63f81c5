/// Why a life ended: one cause of a closed list, with what it rests on.
public struct Verdict: Hashable, Sendable {
    /// The raw value is what users see in `inspect` and in logs.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        case closedItself = "closed-itself"
        case closeTimeout = "close-timeout"
        case closedByCore = "closed-by-core"
        case stopped
        case restarted
        case shutdown
        case logout
        case killed
        case uncaughtError = "uncaught-error"
        case unhandledRejection = "unhandled-rejection"
        case syntaxError = "syntax-error"
        case protocolViolation = "protocol-violation"
        case sandboxSetup = "sandbox-setup"
        case sandboxDenial = "sandbox-denial"
        case engineMissing = "engine-missing"
        case parentGone = "parent-gone"
        case codeMissing = "code-missing"
        case codeEmpty = "code-empty"
        case codeTooLarge = "code-too-large"
        case codeNotUTF8 = "code-not-utf8"
        case codeUnreadable = "code-unreadable"
        case launchFailed = "launch-failed"
        case launchTimeout = "launch-timeout"
        case prepareTimeout = "prepare-timeout"
        case startFailed = "start-failed"
        case startTimeout = "start-timeout"
        case spawnFailed = "spawn-failed"
        case tightLoop = "tight-loop"
        case stalledLoop = "stalled-loop"
        /// The supervisor's own limit.
        case memoryLimit = "memory-limit"
        case portLost = "port-lost"
        case outOfMemory = "out-of-memory"
        case crashed
        case aborted
        case exited
        case signalled
    }

    /// How sure the cause is.
    public enum Certainty: String, Hashable, Sendable, CaseIterable {
        /// The supervisor did it itself, or the kernel shows it.
        case proved
        /// The component's process said so itself.
        case told
        /// What fits best; nothing shows it.
        case likely
    }

    public let cause: Cause
    public let certainty: Certainty
    /// The reason in words.
    public let text: String
    public let evidence: Evidence

    /// Counts as a death: `transient` components are restarted.
    public var isAbnormal: Bool {
        switch cause {
        case .closedItself, .closedByCore, .stopped, .restarted, .shutdown, .logout: false
        case .closeTimeout, .killed, .uncaughtError, .unhandledRejection, .syntaxError, .protocolViolation,
            .sandboxSetup,
            .sandboxDenial, .engineMissing, .parentGone, .codeMissing, .codeEmpty, .codeTooLarge, .codeNotUTF8,
            .codeUnreadable, .launchFailed, .launchTimeout, .prepareTimeout, .startFailed, .startTimeout,
            .spawnFailed, .tightLoop, .stalledLoop, .memoryLimit, .portLost, .outOfMemory, .crashed, .aborted, .exited,
            .signalled:
            true
        }
    }

    /// Another try with the same app would end the same: not worth one before somebody has changed it.
    public var isPermanentFault: Bool {
        switch cause {
        case .syntaxError, .codeMissing, .codeEmpty, .codeTooLarge, .codeNotUTF8: true
        case .closedItself, .closeTimeout, .closedByCore, .stopped, .restarted, .shutdown, .logout, .killed,
            .uncaughtError, .unhandledRejection, .protocolViolation, .sandboxSetup, .sandboxDenial, .engineMissing,
            .parentGone, .codeUnreadable,
            .launchFailed, .launchTimeout, .prepareTimeout, .startFailed, .startTimeout, .spawnFailed, .tightLoop,
            .stalledLoop, .memoryLimit, .portLost, .outOfMemory, .crashed, .aborted, .exited, .signalled:
            false
        }
    }
}

/// What a verdict rests on; nil and empty for what there was none of.
public struct Evidence: Hashable, Sendable {
    public var exit: ExitStatus?
    public var portEnd: PortEnd?
    /// Its connection had ended by itself before a signal was sent.
    public var portEndedFirst = false
    public var reported: ReportedFailure?
    /// The command that ended it, like `kill SIGTERM`, and who gave it.
    public var command: String?
    public var requester: Requester?
    /// How far the start had come, if the component was not ready.
    public var phase: String?
    /// How long it had been ready.
    public var readyFor: Duration?
    /// Signals that the supervisor sent, in order.
    public var signals: [Int32] = []
    /// The signal that ended the process, as the process saw it come.
    public var fatal: FatalSignal?
    /// Asked after a SIGKILL that nobody here had sent.
    public var kernel: KernelWord?
    /// What was seen of it when it gave no turn.
    public var hang: Hang?
    public var errno: Int32?
    /// The injected fault that explains the end.
    public var fault: InjectedFault?

    public init() {}
}

extension Verdict: CustomStringConvertible {
    public var description: String { text }
}
