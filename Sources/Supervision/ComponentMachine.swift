import Glibc

/// One component over all its lives. Decides; never acts, and has no clock and no dice of its own.
///
/// The driver hands in events one at a time, performs the actions in order, and keeps one timer for `deadline`, at which
/// it sends `.tick`. "Life of a component" in docs/architecture.md has the diagram.
public struct ComponentMachine: Hashable, Sendable {
    public typealias Action = ComponentAction

    /// How long the core may take to answer `askCoreToLaunch` and `prepare`.
    public static let coreAnswerLimit = Duration.seconds(30)

    public private(set) var spec: ComponentSpec
    public private(set) var state = ComponentState.down(nil)
    public private(set) var wanted = Wanted.down
    /// Of the present or last life; the first is 1.
    public private(set) var generation: UInt64 = 0
    /// By rule, not by command.
    public private(set) var restarts = 0
    public private(set) var isShuttingDown = false
    private var budget: RestartBudget
    private var backoff: Backoff

    public init(_ spec: ComponentSpec) {
        self.spec = spec
        budget = RestartBudget(maxRestarts: spec.policy.maxRestarts, period: spec.policy.period)
        backoff = Backoff(spec.policy.backoff)
    }

    /// When `.tick` is due; nil while only news can change anything.
    public var deadline: Instant? {
        switch state {
        case .down, .running, .failed: nil
        case .waiting(let until, _): until
        case .starting(_, let phase): phase.deadline
        case .closing(let closing): closing.deadline
        }
    }

    /// However often it asks for more, a start takes at most so many times its time-out.
    public static let longestStart = 10

    /// From now on these rules hold. Deadlines and delays that were set already stay, and so does what has been counted.
    public mutating func adopt(_ policy: RestartPolicy) {
        spec = ComponentSpec(id: spec.id, policy: policy)
        budget.adopt(maxRestarts: policy.maxRestarts, period: policy.period)
        backoff.policy = policy.backoff
    }

    /// From now on its ends are followed by what this type says, as a new version of the app may want it.
    public mutating func adopt(_ restart: RestartType) {
        var policy = spec.policy
        policy.restart = restart
        spec = ComponentSpec(id: spec.id, policy: policy)
    }

    /// `random` is in 0..<1 and is used when a delay before a restart is chosen.
    public mutating func handle(_ event: ComponentEvent, at now: Instant, random: Double) -> [Action] {
        let moment = Moment(now: now, random: random)
        switch event {
        case .start(let by): return start(by, moment)
        case .stop(let by): return stop(by, moment)
        case .restart(let by): return restart(by, moment)
        case .kill(let signal, let by): return kill(signal, by, moment)
        case .shutdown(let fast): return endForGood(.shutdown, fast: fast, moment)
        case .logout: return endForGood(.logout, fast: false, moment)
        case .startRequested(let connector): return startRequested(connector, moment)
        case .launchFailed(let why): return launchFailed(why, moment)
        case .slotGranted: return slotGranted(moment)
        case .prepared(let connector): return prepared(connector, moment)
        case .prepareFailed(let connector, let fault): return prepareFailed(connector, fault, moment)
        case .portClosed(let connector, let end): return portClosed(connector, end, moment)
        case .spawned(let pid): return spawned(pid, moment)
        case .spawnFailed(let errno, let program): return spawnFailed(errno, program, moment)
        case .hello: return booted(from: .spawned, to: .hello, moment)
        case .preloaded: return booted(from: .hello, to: .preloaded, moment)
        case .startExtended(let by): return extendStart(by, moment)
        case .ready: return ready(moment)
        case .failureReported(let report): return failureReported(report, moment)
        case .closingReported: return endIfAlive(nil, .letEnd(spec.policy.stopGrace), moment)
        case .protocolViolated(let how): return protocolViolated(how, moment)
        case .hung(let hang): return endIfAlive(.hung(hang), .kill, moment)
        case .fatalSignal(let fatal):
            note { $0.fatal = $0.fatal ?? fatal }
            return []
        case .kernelSaid(let word):
            note { $0.kernel = word }
            return []
        case .overMemory(let over): return endIfAlive(.overMemory(over), .kill, moment)
        case .faultApplied(let fault):
            noteFaults { $0.append(fault) }
            return []
        case .faultUndone(let id):
            noteFaults { $0.removeAll { $0.id == id } }
            return []
        case .exited(let status): return exited(status, moment)
        case .tick: return tick(moment)
        }
    }

    private struct Moment {
        let now: Instant
        let random: Double
    }
}

// MARK: Commands

extension ComponentMachine {
    private mutating func start(_ by: Requester, _ moment: Moment) -> [Action] {
        guard claimUp(by) else { return [] }
        switch state {
        case .down, .waiting, .failed: return launch(moment)
        case .starting, .running: return []
        case .closing(var closing):
            if by.isUser { closing.next = .startAtOnce } else { closing.demand() }
            state = .closing(closing)
            return []
        }
    }

    private mutating func stop(_ by: Requester, _ moment: Moment) -> [Action] {
        if by.isUser { wanted = .downByUser } else if wanted == .up { wanted = .down }
        switch state {
        case .down: return []
        case .waiting(_, let verdict): return rest(verdict)
        case .failed(let failure): return rest(failure.verdict)
        case .starting, .running: return end(.stop(by), .gently, moment)
        case .closing(var closing):
            closing.next = .byRule
            if case .restart = closing.imposed { closing.imposed = .stop(by) }
            state = .closing(closing)
            return []
        }
    }

    private mutating func restart(_ by: Requester, _ moment: Moment) -> [Action] {
        guard claimUp(by) else { return [] }
        switch state {
        case .down, .waiting, .failed: return launch(moment)
        case .starting(_, .launching): return []
        case .starting, .running: return end(.restart(by), .gently, next: .startAtOnce, moment)
        case .closing(var closing):
            closing.next = .startAtOnce
            state = .closing(closing)
            return []
        }
    }

    /// What is wanted does not change: the end counts as a death, and the restart type decides.
    private mutating func kill(_ signal: Int32, _ by: Requester, _ moment: Moment) -> [Action] {
        switch state {
        case .down, .waiting, .failed: return []
        case .starting(var life, .booting(let child, let step, let limit)):
            life.kill = SentKill(signal: signal, by: by)
            state = .starting(life, .booting(child, step, by: limit))
            return [.signal(signal)]
        case .starting: return end(.kill(signal, by), .kill, moment)
        case .running(var life, let child, let readyAt):
            life.kill = SentKill(signal: signal, by: by)
            state = .running(life, child, readyAt: readyAt)
            return [.signal(signal)]
        case .closing(var closing):
            guard case .alive = closing.process else { return [] }
            closing.life.kill = SentKill(signal: signal, by: by)
            state = .closing(closing)
            return [.signal(signal)]
        }
    }

    private mutating func endForGood(_ imposed: ImposedEnd, fast: Bool, _ moment: Moment) -> [Action] {
        isShuttingDown = true
        if wanted == .up { wanted = .down }
        switch state {
        case .down: return []
        case .waiting(_, let verdict): return rest(verdict)
        case .failed(let failure): return rest(failure.verdict)
        case .starting, .running: return end(imposed, fast ? .kill : .gently, moment)
        case .closing(var closing):
            let actions = fast && closing.isAlive ? closing.leave(.kill, spec.policy, moment.now) : []
            state = .closing(closing)
            return actions
        }
    }

    /// Makes up the wanted state, unless that is for the user to say and another asks.
    private mutating func claimUp(_ by: Requester) -> Bool {
        if isShuttingDown { return false }
        if by.isUser {
            budget.clear()
            backoff.reset()
        } else if case .failed = state {
            return false
        } else if wanted == .downByUser {
            return false
        }
        wanted = .up
        return true
    }
}

// MARK: Start

extension ComponentMachine {
    private mutating func launch(_ moment: Moment) -> [Action] {
        state = .starting(nextLife(moment), .launching(by: moment.now + Self.coreAnswerLimit))
        return [.askCoreToLaunch]
    }

    private mutating func nextLife(_ moment: Moment) -> Life {
        generation += 1
        return Life(generation: generation, began: moment.now)
    }

    private mutating func startRequested(_ connector: String, _ moment: Moment) -> [Action] {
        if isShuttingDown || wanted == .downByUser { return [.refuseStart(connector: connector, .stopped)] }
        switch state {
        case .down:
            wanted = .up
            state = .starting(nextLife(moment), .queued(connector: connector))
            return [.requestSlot]
        case .starting(let life, .launching):
            state = .starting(life, .queued(connector: connector))
            return [.requestSlot]
        case .starting, .running: return [.refuseStart(connector: connector, .alreadyStarted)]
        case .closing(var closing):
            // The old connector must be closed first; the caller waits for the one that the core is asked for then.
            wanted = .up
            closing.demand()
            state = .closing(closing)
            return [.refuseStart(connector: connector, .waiting)]
        case .waiting: return [.refuseStart(connector: connector, .waiting)]
        case .failed: return [.refuseStart(connector: connector, .quarantined)]
        }
    }

    private mutating func launchFailed(_ why: String, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(_, .launching): return end(.launchFailed(why), .kill, moment)
        case .down, .starting, .running, .closing, .waiting, .failed: return []  // the answer to an earlier request
        }
    }

    private mutating func slotGranted(_ moment: Moment) -> [Action] {
        guard case .starting(let life, .queued(let connector)) = state else { return [] }
        state = .starting(life, .code(connector: connector, by: moment.now + Self.coreAnswerLimit))
        return [.prepare(connector: connector)]
    }

    private mutating func prepared(_ connector: String, _ moment: Moment) -> [Action] {
        guard case .starting(var life, .code(connector, _)) = state else { return [] }  // that start was ended
        life.spawnAsked = moment.now
        state = .starting(life, .spawning(connector: connector, by: moment.now + spec.policy.startTimeout))
        return [.spawn(connector: connector, generation: life.generation)]
    }

    private mutating func prepareFailed(_ connector: String, _ fault: CodeFault, _ moment: Moment) -> [Action] {
        guard case .starting(_, .code(connector, _)) = state else { return [] }  // that start was ended
        return end(.code(fault), .kill, moment)
    }

    private mutating func spawned(_ pid: Int32, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(let life, .spawning(let connector, let limit)):
            state = .starting(life, .booting(Child(connector: connector, pid: pid), .spawned, by: limit))
            return []
        case .closing(var closing) where closing.process == .spawning:
            // It has done nothing yet that could be lost.
            closing.process = .alive(pid: pid, .kill(at: moment.now))
            let actions = closing.leave(.kill, spec.policy, moment.now)
            state = .closing(closing)
            return actions
        case .down, .starting, .running, .closing, .waiting, .failed:
            preconditionFailure("\(spec.id): a process was spawned that was not asked for, in \(state)")
        }
    }

    private mutating func spawnFailed(_ errno: Int32, _ program: String, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(let life, .spawning(let connector, let limit)):
            state = .starting(life, .code(connector: connector, by: limit))  // there is no process to wait for
            return end(.spawnFailed(errno: errno, program: program), .kill, moment)
        case .closing(var closing) where closing.process == .spawning:
            closing.process = .none
            return proceed(closing, moment)
        case .down, .starting, .running, .closing, .waiting, .failed:
            preconditionFailure("\(spec.id): a spawn failed that was not asked for, in \(state)")
        }
    }

    private mutating func booted(from: BootStep, to step: BootStep, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(let life, .booting(let child, from, let limit)):
            state = .starting(life, .booting(child, step, by: limit))
            return []
        case .starting(_, .booting), .running: return protocolViolated("\(step.rawValue) out of order", moment)
        case .down, .starting, .closing, .waiting, .failed: return []
        }
    }

    private mutating func extendStart(_ by: Duration, _ moment: Moment) -> [Action] {
        guard case .starting(let life, .booting(let child, let step, let limit)) = state else { return [] }
        let latest = (life.spawnAsked ?? life.began) + spec.policy.startTimeout * Self.longestStart
        state = .starting(life, .booting(child, step, by: max(limit, min(moment.now + by, latest))))
        return []
    }

    private mutating func ready(_ moment: Moment) -> [Action] {
        switch state {
        case .starting(let life, .booting(let child, .preloaded, _)):
            state = .running(life, child, readyAt: moment.now)
            return [.releaseSlot, .settleStart(connector: child.connector, .ready)]
        case .starting(_, .booting), .running: return protocolViolated("ready out of order", moment)
        case .closing(var closing) where closing.canBecomeReady:
            closing.readyAt = moment.now
            closing.phase = nil
            state = .closing(closing)
            return [.settleStart(connector: closing.connector, .ready)]
        case .down, .starting, .closing, .waiting, .failed: return []
        }
    }
}

// MARK: End

extension ComponentMachine {
    private mutating func failureReported(_ report: ReportedFailure, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(var life, .booting(let child, let step, let limit)):
            life.reported = report
            state = .starting(life, .booting(child, step, by: limit))
            return end(nil, .letEnd(spec.policy.killAfter), moment)
        case .running(var life, let child, let readyAt):
            life.reported = report
            state = .running(life, child, readyAt: readyAt)
            return end(nil, .letEnd(spec.policy.killAfter), moment)
        case .closing(var closing):
            if closing.life.reported == nil { closing.life.reported = report }
            state = .closing(closing)
            return []
        case .down, .starting, .waiting, .failed: return []
        }
    }

    /// Evidence about the process that is there.
    private mutating func note(_ change: (inout Life) -> Void) {
        switch state {
        case .starting(var life, .booting(let child, let step, let limit)):
            change(&life)
            state = .starting(life, .booting(child, step, by: limit))
        case .running(var life, let child, let readyAt):
            change(&life)
            state = .running(life, child, readyAt: readyAt)
        case .closing(var closing) where closing.isAlive:
            change(&closing.life)
            state = .closing(closing)
        case .down, .starting, .closing, .waiting, .failed: break
        }
    }

    /// Of a life that has no process yet, too.
    private mutating func noteFaults(_ change: (inout [InjectedFault]) -> Void) {
        switch state {
        case .starting(var life, let phase):
            change(&life.faults)
            state = .starting(life, phase)
        case .running(var life, let child, let readyAt):
            change(&life.faults)
            state = .running(life, child, readyAt: readyAt)
        case .closing(var closing):
            change(&closing.life.faults)
            state = .closing(closing)
        case .down, .waiting, .failed: break
        }
    }

    private mutating func protocolViolated(_ how: String, _ moment: Moment) -> [Action] {
        guard case .closing(var closing) = state, closing.isAlive else {
            return endIfAlive(.protocolViolation(how), .kill, moment)
        }
        closing.imposed = closing.imposed ?? .protocolViolation(how)
        let actions = closing.leave(.kill, spec.policy, moment.now)
        state = .closing(closing)
        return actions
    }

    private mutating func endIfAlive(_ imposed: ImposedEnd?, _ manner: Closing.Manner, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(_, .booting), .running: end(imposed, manner, moment)
        case .down, .starting, .closing, .waiting, .failed: []
        }
    }

    private mutating func portClosed(_ connector: String, _ portEnd: PortEnd, _ moment: Moment) -> [Action] {
        switch state {
        case .closing(var closing):
            guard closing.connector == connector, !closing.isPortClosed else { return [] }
            closing.port = .closed(portEnd)
            var actions: [Action] = []
            if case .violation = portEnd, closing.isAlive {
                actions = closing.leave(.kill, spec.policy, moment.now)
            }
            return actions + proceed(closing, moment)
        case .starting, .running:
            guard connectorID == connector else { return [] }
            switch portEnd {
            case .bye: return end(nil, .letEnd(spec.policy.stopGrace), portEnd: portEnd, moment)
            case .endOfFile: return end(nil, .letEnd(spec.policy.killAfter), portEnd: portEnd, moment)
            case .violation: return end(nil, .kill, portEnd: portEnd, moment)
            case .byPlatform:
                // Not asked for from here: the core closes the component.
                if wanted == .up { wanted = .down }
                return end(.stop(.core), .gently, portEnd: portEnd, moment)
            }
        case .down, .waiting, .failed: return []
        }
    }

    private mutating func exited(_ status: ExitStatus, _ moment: Moment) -> [Action] {
        switch state {
        case .starting(_, .booting), .running: return end(nil, .kill, exit: status, moment)
        case .closing(var closing) where closing.isAlive:
            let actions = closing.exit(status, moment.now)
            return actions + proceed(closing, moment)
        case .down, .starting, .closing, .waiting, .failed:
            preconditionFailure("\(spec.id): the exit of a process that is not there, \(status), in \(state)")
        }
    }

    private mutating func tick(_ moment: Moment) -> [Action] {
        guard let deadline, moment.now >= deadline else { return [] }
        switch state {
        case .down, .running, .failed: return []
        case .waiting: return launch(moment)
        case .starting(_, .launching): return end(.launchTimeout(Self.coreAnswerLimit), .kill, moment)
        case .starting(_, .queued): return []
        case .starting(_, .code): return end(.prepareTimeout(Self.coreAnswerLimit), .kill, moment)
        case .starting(let life, .spawning(_, let limit)), .starting(let life, .booting(_, _, let limit)):
            return end(.startTimeout(limit - (life.spawnAsked ?? life.began)), .terminate, moment)
        case .closing(var closing):
            let actions = closing.escalate(spec.policy, moment.now)
            state = .closing(closing)
            return actions
        }
    }

    /// Leaves `starting` or `running`. With `exit` or `portEnd`, that fact is what ends the life.
    private mutating func end(
        _ imposed: ImposedEnd?, _ manner: Closing.Manner, next: Closing.Next = .byRule, exit: ExitStatus? = nil,
        portEnd: PortEnd? = nil, _ moment: Moment
    ) -> [Action] {
        var closing: Closing
        var actions: [Action] = []
        switch state {
        case .starting(let life, let phase):
            guard let connector = phase.connector else {
                var evidence = Evidence()
                evidence.phase = phase.name
                let verdict = Verdict.of(imposed: imposed, kill: nil, faults: life.faults, evidence: evidence)
                return [.record(verdict, generation: life.generation)] + follow(verdict, readyFor: nil, next, moment)
            }
            closing = Closing(
                life: life, connector: connector, readyAt: nil, phase: phase.name, process: phase.process, port: .open)
            actions = [.releaseSlot]
        case .running(let life, let child, let readyAt):
            closing = Closing(
                life: life, connector: child.connector, readyAt: readyAt, phase: nil,
                process: .alive(pid: child.pid, .kill(at: moment.now)), port: .open)
        case .down, .closing, .waiting, .failed:
            preconditionFailure("\(spec.id): no life to end in \(state)")
        }
        closing.imposed = imposed
        closing.next = next
        if let portEnd { closing.port = .closed(portEnd) }
        if let exit {
            actions += closing.exit(exit, moment.now)
        } else {
            actions += closing.leave(manner, spec.policy, moment.now)
        }
        return actions + proceed(closing, moment)
    }

    /// Goes on from `closing` once there is no process and the port is closed.
    private mutating func proceed(_ closing: Closing, _ moment: Moment) -> [Action] {
        guard closing.isOver else {
            state = .closing(closing)
            return []
        }
        let verdict = closing.verdict
        var actions: [Action] = [.record(verdict, generation: closing.life.generation)]
        if closing.readyAt == nil {
            actions.append(.settleStart(connector: closing.connector, .failed(verdict)))
        }
        return actions + follow(verdict, readyFor: closing.readyFor, closing.next, moment)
    }

    private mutating func follow(
        _ verdict: Verdict, readyFor: Duration?, _ next: Closing.Next, _ moment: Moment
    ) -> [Action] {
        if spec.isForOneConnection {
            wanted = .down
            return rest(verdict)
        }
        guard wanted == .up else { return rest(verdict) }
        if next == .startAtOnce { return launch(moment) }
        if verdict.isPermanentFault {
            state = .failed(.permanentFault(verdict))
            return []
        }
        guard spec.policy.restart.restarts(after: verdict) else {
            if next == .demanded { return launch(moment) }
            wanted = .down
            return rest(verdict)
        }
        guard budget.take(at: moment.now) else {
            state = .failed(.quarantined(verdict, maxRestarts: budget.maxRestarts, period: budget.period))
            return []
        }
        restarts += 1
        let delay = backoff.delay(readyFor: readyFor, random: moment.random)
        if delay == .zero { return launch(moment) }
        state = .waiting(until: moment.now + delay, verdict)
        return []
    }

    private mutating func rest(_ verdict: Verdict) -> [Action] {
        state = .down(verdict)
        return spec.isForOneConnection ? [.forget] : []
    }
}

// MARK: What others see

extension ComponentMachine {
    /// Of the present life's connector, nil before the core has made it and after its end.
    public var connectorID: String? {
        switch state {
        case .down, .waiting, .failed: nil
        case .starting(_, let phase): phase.connector
        case .running(_, let child, _): child.connector
        case .closing(let closing): closing.connector
        }
    }

    /// Of the process, as long as its exit was not seen.
    public var pid: Int32? {
        switch state {
        case .starting(_, .booting(let child, _, _)), .running(_, let child, _): child.pid
        case .closing(let closing): if case .alive(let pid, _) = closing.process { pid } else { nil }
        case .down, .starting, .waiting, .failed: nil
        }
    }

    /// From so long a life on the next delay begins anew.
    public var healthyPeriod: Duration { backoff.healthyPeriod }

    /// Restarts that count against the budget now.
    public func restartsInPeriod(at now: Instant) -> Int { budget.used(at: now) }

    /// Why the last life ended, as long as no new one has begun.
    public var lastVerdict: Verdict? {
        switch state {
        case .down(let verdict): verdict
        case .waiting(_, let verdict): verdict
        case .failed(let failure): failure.verdict
        case .starting, .running, .closing: nil
        }
    }
}
