/// Whether the component should be there, apart from whether it is.
public enum Wanted: Hashable, Sendable {
    case up
    /// Nobody needs it now; a demand brings it up.
    case down
    /// The user stopped it: only the user brings it up again.
    case downByUser

    /// As in `ps`.
    public var name: String { self == .up ? "up" : "down" }
}

/// What a component is doing; each case carries what exists then and nothing else. Indirect, because some carry a lot
/// and a machine is copied more often than it changes.
public indirect enum ComponentState: Hashable, Sendable {
    case down(Verdict?)
    case starting(Life, StartPhase)
    case running(Life, Child, readyAt: Instant)
    case closing(Closing)
    case waiting(until: Instant, Verdict)
    case failed(Failure)

    /// As in `ps`.
    public var name: String {
        switch self {
        case .down: "down"
        case .starting: "starting"
        case .running: "running"
        case .closing: "closing"
        case .waiting: "waiting"
        case .failed: "failed"
        }
    }

    /// As in `ps`; nil unless starting.
    public var phaseName: String? {
        if case .starting(_, let phase) = self { phase.name } else { nil }
    }
}

/// One life of a component.
public struct Life: Hashable, Sendable {
    public let generation: UInt64
    public let began: Instant
    /// When its process was asked for.
    var spawnAsked: Instant?
    /// The first failure that its process reported.
    var reported: ReportedFailure?
    var kill: SentKill?
    var fatal: FatalSignal?
    var kernel: KernelWord?
    /// Injected on purpose and not undone, the first one first.
    var faults: [InjectedFault] = []
}

/// A process that has not been seen to exit, and the connector it serves.
public struct Child: Hashable, Sendable {
    public let connector: String
    public let pid: Int32
}

/// How far a start has come. `by` is when it must have come further.
public enum StartPhase: Hashable, Sendable {
    /// The core was asked for a connector.
    case launching(by: Instant)
    /// In line for a start slot.
    case queued(connector: String)
    case code(connector: String, by: Instant)
    case spawning(connector: String, by: Instant)
    case booting(Child, BootStep, by: Instant)

    /// As in `ps`: `queued code spawned hello preloaded`.
    public var name: String {
        switch self {
        case .launching, .queued: "queued"
        case .code: "code"
        case .spawning: "spawned"
        case .booting(_, let step, _): step.rawValue
        }
    }
}

/// The last thing that a process on its way to ready has shown.
public enum BootStep: String, Hashable, Sendable {
    case spawned, hello, preloaded
}

/// The end of a life under way. It is over when there is no process and the port is closed.
public struct Closing: Hashable, Sendable {
    public enum Process: Hashable, Sendable {
        case none
        /// Its spawn was asked for and not yet answered.
        case spawning
        case alive(pid: Int32, Escalation)
        case exited(ExitStatus)
    }

    /// What comes next for a process that does not end.
    public enum Escalation: Hashable, Sendable {
        case terminate(at: Instant)
        case kill(at: Instant)
    }

    public enum Port: Hashable, Sendable {
        case open
        /// `portClosed` is on its way.
        case asked
        case closed(PortEnd)
    }

    /// What follows the end.
    public enum Next: Hashable, Sendable {
        /// What the restart type says.
        case byRule
        /// A start at once if the rule says down: the core asked meanwhile.
        case demanded
        /// A start at once.
        case startAtOnce
    }

    public internal(set) var life: Life
    public let connector: String
    /// Nil: it was not ready, and the promise of its start is open.
    public internal(set) var readyAt: Instant?
    /// Where the start stood, if it was not ready.
    public internal(set) var phase: String?
    public internal(set) var process: Process
    public internal(set) var port: Port
    var imposed: ImposedEnd?
    var signals: [Int32] = []
    /// The port had ended by itself before the first of them.
    var portEndedFirst = false
    var next = Next.byRule
    /// Taken at the exit, so that a slow port does not count as health.
    var readyFor: Duration?
}

/// Why a component is not started again without the user.
public enum Failure: Hashable, Sendable {
    /// More than `maxRestarts` restarts within `period`.
    case quarantined(Verdict, maxRestarts: Int, period: Duration)
    /// Another try would end the same.
    case permanentFault(Verdict)

    public var verdict: Verdict {
        switch self {
        case .quarantined(let verdict, _, _), .permanentFault(let verdict): verdict
        }
    }
}

extension Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .quarantined(let verdict, let maxRestarts, let period):
            "more than \(maxRestarts) restarts within \(period.text); last end: \(verdict.text)"
        case .permanentFault(let verdict): verdict.text
        }
    }
}
