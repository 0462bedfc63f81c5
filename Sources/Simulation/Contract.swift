import Glibc
import Supervision

/// "Life of a component" in docs/architecture.md once more, as flat facts instead of a machine of states: the next thing
/// that has to be done, and where the component has to be then. Told the same events as the machine.
struct Contract {
    enum Stage: String {
        case down, waiting, failed, launching, queued, code, spawning, spawned, hello, preloaded, running, closing
    }

    /// An action of the machine's; of verdicts their causes.
    enum Deed: Equatable {
        case `do`(ComponentAction)
        case settle(String, Verdict.Cause?)
        case record(Verdict.Cause, UInt64)

        init(_ action: ComponentAction) {
            switch action {
            case .settleStart(let connector, .ready): self = .settle(connector, nil)
            case .settleStart(let connector, .failed(let verdict)): self = .settle(connector, verdict.cause)
            case .record(let verdict, let generation): self = .record(verdict.cause, generation)
            default: self = .do(action)
            }
        }
    }

    enum Process { case none, spawning, alive, gone }
    enum Manner { case gently, terminate, kill, letEnd(Duration) }

    /// What ended a life, where it was not the component.
    enum Imposed: Equatable { case stop(Requester), restart, other(Verdict.Cause) }

    var policy: RestartPolicy
    let isForOneConnection: Bool
    var stage = Stage.down
    var wanted = Wanted.down
    var isEnding = false
    var generation: UInt64 = 0
    var restarts = 0
    /// When those were that count; the budget is cleared by the user.
    var restartTimes: [Instant] = []
    var lastDelay: Duration?
    var deadline: Instant?
    /// Of the present event, for the jitter.
    private(set) var random = 0.0
    // Of the present life.
    var connector: String?
    var began = Instant(nanoseconds: 0)
    var spawnAsked: Instant?
    var readyAt: Instant?
    var process = Process.none
    var isReady = false
    var reported: ReportedFailure.Kind?
    var sentKill: Int32?
    var fatal: FatalSignal?
    var kernel: KernelWord?
    // Of its end.
    var imposed: Imposed?
    var next = Closing.Next.byRule
    var stageAtEnd = Stage.down
    var portIsAsked = false
    var portEnd: PortEnd?
    var signals: [Int32] = []
    var nextSignal: Int32 = SIGTERM
    var portEndedFirst = false
    var exit: ExitStatus?
    var readyFor: Duration?

    init(_ spec: ComponentSpec) {
        policy = spec.policy
        isForOneConnection = spec.isForOneConnection
    }

    var isAtRest: Bool { stage == .down || stage == .waiting || stage == .failed }
    var isBooting: Bool { stage == .spawned || stage == .hello || stage == .preloaded }
    var isComingUp: Bool { !isAtRest && stage != .running && stage != .closing }

    mutating func handle(_ event: ComponentEvent, _ now: Instant, _ random: Double) -> [Deed] {
        self.random = random
        switch event {
        case .start(let by): return start(by, now)
        case .stop(let by): return stop(by, now)
        case .restart(let by): return restart(by, now)
        case .kill(let signal, _): return kill(signal, now)
        case .shutdown(let fast): return endForGood(.shutdown, fast, now)
        case .logout: return endForGood(.logout, false, now)
        case .startRequested(let connector): return startRequested(connector, now)
        case .launchFailed:
            return stage == .launching ? endWithoutConnector(.launchFailed, now) : []
        case .slotGranted:
            guard stage == .queued, let connector else { return [] }
            (stage, deadline) = (.code, now + .seconds(30))
            return [.do(.prepare(connector: connector))]
        case .prepared(let connector):
            guard stage == .code, connector == self.connector else { return [] }
            (stage, deadline, spawnAsked, process) = (.spawning, now + policy.startTimeout, now, .spawning)
            return [.do(.spawn(connector: connector, generation: generation))]
        case .prepareFailed(let connector, let fault):
            guard stage == .code, connector == self.connector else { return [] }
            return end(.other(Self.cause(fault)), .kill, now)
        case .portClosed(let connector, let portEnd): return portClosed(connector, portEnd, now)
        case .spawned:
            process = .alive
            if stage == .spawning { stage = .spawned } else { return signal(SIGKILL, now) }
            return []
        case .spawnFailed:
            process = .none
            if stage == .closing { return overIfDone(now) }
            stage = .code
            return end(.other(.spawnFailed), .kill, now)
        case .hello: return step(from: .spawned, to: .hello, now)
        case .preloaded: return step(from: .hello, to: .preloaded, now)
        case .startExtended(let by):
            if isBooting, let deadline, let spawnAsked {
                self.deadline = max(deadline, min(now + by, spawnAsked + policy.startTimeout * 10))
            }
            return []
        case .ready: return ready(now)
        case .failureReported(let report):
            guard process == .alive || stage == .closing else { return [] }
            reported = reported ?? report.kind
            return stage == .closing ? [] : end(nil, .letEnd(policy.killAfter), now)
        case .closingReported:
            return isBooting || stage == .running ? end(nil, .letEnd(policy.stopGrace), now) : []
        case .protocolViolated: return violated(now)
        case .hung(let hang):
            return endIfUp(hang.stack == nil ? .stalledLoop : .tightLoop, now)
        case .overMemory: return endIfUp(.memoryLimit, now)
        case .fatalSignal(let signal):
            if process == .alive { fatal = fatal ?? signal }
            return []
        case .kernelSaid(let word):
            if process == .alive { kernel = word }
            return []
        // Names in verdicts, and nothing that is decided by.
        case .faultApplied, .faultUndone: return []
        case .exited(let status):
            if stage != .closing { return end(nil, .kill, exit: status, now) }
            return exited(status, now) + overIfDone(now)
        case .tick: return tick(now)
        }
    }

    // MARK: Commands

    private mutating func claimUp(_ by: Requester) -> Bool {
        guard !isEnding else { return false }
        if case .user = by {
            restartTimes = []
            lastDelay = nil
        } else if stage == .failed || wanted == .downByUser {
            return false
        }
        wanted = .up
        return true
    }

    private mutating func start(_ by: Requester, _ now: Instant) -> [Deed] {
        guard claimUp(by) else { return [] }
        if isAtRest { return launch(now) }
        guard stage == .closing else { return [] }
        if case .user = by { next = .startAtOnce } else if next == .byRule { next = .demanded }
        return []
    }

    private mutating func restart(_ by: Requester, _ now: Instant) -> [Deed] {
        guard claimUp(by) else { return [] }
        if isAtRest { return launch(now) }
        switch stage {
        case .launching: return []
        case .closing: next = .startAtOnce
        default:
            let deeds = end(.restart, .gently, now)
            next = .startAtOnce
            return deeds
        }
        return []
    }

    private mutating func stop(_ by: Requester, _ now: Instant) -> [Deed] {
        if case .user = by { wanted = .downByUser } else if wanted == .up { wanted = .down }
        if isAtRest { return stage == .down ? [] : rest() }
        guard stage == .closing else { return end(.stop(by), .gently, now) }
        next = .byRule
        if imposed == .restart { imposed = .stop(by) }
        return []
    }

    private mutating func kill(_ signal: Int32, _ now: Instant) -> [Deed] {
        if process == .alive {
            sentKill = signal
            return [.do(.signal(signal))]
        }
        return isComingUp ? end(.other(.killed), .kill, now) : []
    }

    private mutating func endForGood(_ cause: Verdict.Cause, _ fast: Bool, _ now: Instant) -> [Deed] {
        isEnding = true
        if wanted == .up { wanted = .down }
        if isAtRest { return stage == .down ? [] : rest() }
        if stage == .closing { return fast && process == .alive ? signal(SIGKILL, now) : [] }
        return end(.other(cause), fast ? .kill : .gently, now)
    }

    // MARK: The start

    mutating func launch(_ now: Instant) -> [Deed] {
        beginLife(now)
        (stage, deadline) = (.launching, now + .seconds(30))
        return [.do(.askCoreToLaunch)]
    }

    private mutating func beginLife(_ now: Instant) {
        generation += 1
        (began, spawnAsked, readyAt, connector, process, isReady) = (now, nil, nil, nil, .none, false)
        (reported, sentKill, fatal, kernel, imposed, next) = (nil, nil, nil, nil, nil, .byRule)
        (portIsAsked, portEnd, signals, portEndedFirst, exit, readyFor) = (false, nil, [], false, nil, nil)
    }

    private mutating func startRequested(_ connector: String, _ now: Instant) -> [Deed] {
        func refused(_ why: StartRefusal) -> [Deed] { [.do(.refuseStart(connector: connector, why))] }
        if isEnding || wanted == .downByUser { return refused(.stopped) }
        switch stage {
        case .waiting: return refused(.waiting)
        case .failed: return refused(.quarantined)
        case .closing:
            wanted = .up
            if next == .byRule { next = .demanded }
            return refused(.waiting)
        case .down:
            wanted = .up
            beginLife(now)
        case .launching: break
        default: return refused(.alreadyStarted)
        }
        self.connector = connector
        (stage, deadline) = (.queued, nil)
        return [.do(.requestSlot)]
    }

    private mutating func step(from: Stage, to: Stage, _ now: Instant) -> [Deed] {
        if stage == from {
            stage = to
            return []
        }
        return isBooting || stage == .running ? violated(now) : []
    }

    private mutating func ready(_ now: Instant) -> [Deed] {
        guard let connector else { return [] }
        if stage == .preloaded {
            (stage, deadline, readyAt, isReady) = (.running, nil, now, true)
            return [.do(.releaseSlot), .settle(connector, nil)]
        }
        if isBooting || stage == .running { return violated(now) }
        let comesUpYet =
            stage == .closing && stageAtEnd == .preloaded && !isReady && process == .alive && imposed == nil
            && reported == nil
        guard comesUpYet else { return [] }
        (readyAt, isReady) = (now, true)
        return [.settle(connector, nil)]
    }
}
