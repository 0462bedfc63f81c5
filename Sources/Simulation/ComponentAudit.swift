import Supervision

/// Watches one component from outside: what its machine was told, what it had done, what there is because of that.
struct ComponentAudit {
    enum Slot { case none, requested, granted }
    enum Process { case none, spawning, alive(pid: Int32) }

    struct Port {
        var isPrepared = false
        var isAsked = false
    }

    private let name: String
    private var contract: Contract
    private var process = Process.none
    private var ports: [String: Port] = [:]
    private var openStarts: Set<String> = []
    private var slot = Slot.none
    private var lastRecorded: UInt64 = 0
    /// By rule, since the user last started it or rules changed.
    private var restartTimes: [Instant] = []
    private var isStoppedByUser = false
    private var steps = 0

    init(_ spec: ComponentSpec) {
        name = "\(spec.id)"
        contract = Contract(spec)
    }

    mutating func adopt(_ policy: RestartPolicy) {
        contract.policy = policy
        restartTimes = []
    }

    /// What the event itself makes of the world, before the machine hears of it.
    mutating func happens(_ event: ComponentEvent) {
        switch event {
        case .startRequested(let connector):
            openStarts.insert(connector)
            ports[connector] = Port()
        case .prepared(let connector): ports[connector]?.isPrepared = true
        case .portClosed(let connector, _): ports[connector] = nil
        case .slotGranted: slot = .granted
        case .spawned(let pid): process = .alive(pid: pid)
        case .spawnFailed, .exited: process = .none
        case .start(.user), .restart(.user): (isStoppedByUser, restartTimes) = (false, [])
        case .stop(.user): isStoppedByUser = true
        default: break
        }
    }

    mutating func check(
        _ event: ComponentEvent, _ actions: [ComponentAction], of machine: ComponentMachine,
        from before: ComponentMachine, at now: Instant, random: Double
    ) throws(Violation) {
        let expected = contract.handle(event, now, random)
        for action in actions { try perform(action, machine) }
        try checkWorld(machine)
        try checkLife(machine, from: before, at: now)
        try checkContract(expected, actions, machine, now)
        steps += 1
        if steps % 8 == 0 { try checkWords(machine, now) }
    }

    // MARK: What is done

    private mutating func perform(_ action: ComponentAction, _ machine: ComponentMachine) throws(Violation) {
        switch action {
        case .askCoreToLaunch:
            try require(.coreKnowsFirst, ports.isEmpty, "\(name) is launched while the core has its last port")
        case .requestSlot:
            try require(.coreKnowsFirst, ports.count == 1, "\(name) starts while the core has its last port")
            try require(.slotsInOrder, slot == .none, "\(name) asks for a second start slot")
            slot = .requested
        case .releaseSlot:
            try require(.slotsInOrder, slot != .none, "\(name) gives back a start slot that it has not")
            slot = .none
        case .prepare: try require(.startsArePrepared, slot == .granted, "\(name) is read without a start slot")
        case .spawn(let connector, let generation):
            guard case .none = process else { throw Violation(.oneProcess, "\(name) gets a second process") }
            try require(
                .startsArePrepared, slot == .granted && ports[connector]?.isPrepared == true,
                "\(name) is spawned without a start slot or a port")
            try require(
                .startsArePrepared, generation == machine.generation, "\(name) is spawned as life \(generation)")
            process = .spawning
        case .settleStart(let connector, _):
            let isOpen = openStarts.remove(connector) != nil
            try require(.startsAreSettledOnce, isOpen, "the start of \(name) at \(connector) is settled twice")
        case .refuseStart(let connector, _):
            let isOpen = openStarts.remove(connector) != nil
            try require(.startsAreSettledOnce, isOpen, "the start of \(name) at \(connector) is settled twice")
            ports[connector] = nil
        case .sendStop, .signal:
            guard case .alive = process else {
                throw Violation(.signalsGoToTheLiving, "\(name): \(Words.of(action)) without a process")
            }
        case .closePort(let connector), .tellCoreExited(let connector):
            try require(
                .portIsAskedOnce, ports[connector]?.isAsked == false,
                "\(name): \(Words.of(action)), and that was asked or is closed")
            if case .tellCoreExited = action, case .alive = process {
                throw Violation(.coreKnowsFirst, "the core is told of the end of \(name), which lives")
            }
            ports[connector]?.isAsked = true
        case .record(_, let generation):
            try require(
                .oneVerdictPerLife, generation == lastRecorded + 1,
                "\(name): verdict of life \(generation) after that of \(lastRecorded)")
            try require(.coreKnowsFirst, ports.isEmpty, "a life of \(name) is over, and the core has its port")
            lastRecorded = generation
        case .forget: break
        }
    }

    // MARK: What there is

    private var isAlive: Bool { if case .alive = process { true } else { false } }

    private func checkWorld(_ machine: ComponentMachine) throws(Violation) {
        var pid: Int32?
        if case .alive(let number) = process { pid = number }
        try require(
            .machineKnowsItsProcess, machine.pid == pid,
            "\(name) has process \(pid.map { "\($0)" } ?? "none"), known is \(machine.pid.map { "\($0)" } ?? "none")")
        switch machine.state {
        case .down, .waiting, .failed:
            if case .none = process {} else { throw Violation(.nothingRemains, "\(name) rests with a process") }
            try require(.nothingRemains, ports.isEmpty, "\(name) rests with an open port")
            try require(.nothingRemains, openStarts.isEmpty, "\(name) rests with a start that is not settled")
            try require(.nothingRemains, slot == .none, "\(name) rests with a start slot")
            try require(
                .oneVerdictPerLife, lastRecorded == machine.generation, "\(name) rests without its last verdict")
        case .running:
            try require(.machineKnowsItsProcess, isAlive, "\(name) runs without a process")
            try require(.startsAreSettledOnce, openStarts.isEmpty, "\(name) runs, and its start is not settled")
            try require(.slotsInOrder, slot == .none, "\(name) runs with a start slot")
        case .starting(_, .queued):
            try require(.noEndlessWait, slot == .requested, "\(name) waits for a slot that it has not asked for")
        case .starting:
            try require(.noEndlessWait, machine.deadline != nil, "nothing ends the start of \(name)")
        case .closing(let closing):
            try require(.slotsInOrder, slot == .none, "\(name) closes with a start slot")
            switch process {
            case .alive: try require(.noEndlessWait, machine.deadline != nil, "nothing ends the process of \(name)")
            case .spawning: break
            case .none:
                let isAsked = ports[closing.connector]?.isAsked == true
                try require(.noEndlessWait, isAsked, "\(name) waits for its port, which nobody closes")
            }
        }
    }

    private mutating func checkLife(
        _ machine: ComponentMachine, from before: ComponentMachine, at now: Instant
    ) throws(Violation) {
        if machine.generation != before.generation {
            try require(.noStartInTheEnd, !contract.isEnding, "\(name) starts in a shutdown or logout")
            try require(.usersWordStands, !isStoppedByUser, "\(name) starts, which the user stopped")
            try require(
                .oneVerdictPerLife, machine.generation == before.generation + 1, "\(name) skips a life")
        }
        if contract.isEnding, case .waiting = machine.state {
            throw Violation(.noStartInTheEnd, "\(name) waits for a restart in a shutdown or logout")
        }
        if machine.restarts != before.restarts {
            let policy = machine.spec.policy
            restartTimes.append(now)
            let counted = restartTimes.count { now - $0 < policy.period }
            try require(
                .budgetHolds, counted <= policy.maxRestarts,
                "\(name) is restarted \(counted) times within \(policy.period.text); \(policy.maxRestarts) are allowed")
            if restartTimes.count > policy.maxRestarts { restartTimes.removeAll { now - $0 >= policy.period } }
        }
    }

    // MARK: What should be

    private func checkContract(
        _ expected: [Contract.Deed], _ actions: [ComponentAction], _ machine: ComponentMachine, _ now: Instant
    ) throws(Violation) {
        let deeds = actions.map { Contract.Deed($0) }
        if deeds != expected {
            for (deed, due) in zip(deeds, expected) {
                if case .record(let cause, _) = deed, case .record(let seen, _) = due, cause != seen {
                    throw Violation(
                        .verdictAsSeen, "\(name) ends as \(cause.rawValue), and what was seen is \(seen.rawValue)")
                }
            }
            throw Violation(
                .stepsAsDocumented,
                "\(name) does [\(actions.map { Words.of($0) }.joined(separator: ", "))], and due is"
                    + " [\(expected.map { Words.of($0) }.joined(separator: ", "))]")
        }
        try require(
            .wantedAsCommanded, machine.wanted == contract.wanted && machine.isShuttingDown == contract.isEnding,
            "\(name) is wanted \(machine.wanted), and commands say \(contract.wanted)")
        let stage = Contract.Stage(machine)
        try require(
            .stateAsDocumented, stage == contract.stage && machine.connectorID == contract.connector,
            "\(name) is \(stage.rawValue), and should be \(contract.stage.rawValue)")
        try require(
            .stateAsDocumented,
            machine.generation == contract.generation && machine.restarts == contract.restarts
                && machine.restartsInPeriod(at: now) == contract.usedRestarts(now),
            "\(name) counts \(machine.generation) lives and \(machine.restarts) restarts,"
                + " \(machine.restartsInPeriod(at: now)) of them within the period; there were \(contract.generation),"
                + " \(contract.restarts), \(contract.usedRestarts(now))")
        if stage == .waiting, let until = machine.deadline, let due = contract.deadline {
            // Reckoned in another order: parts of a nanosecond may differ.
            let isRight = abs(until.nanoseconds - due.nanoseconds) <= 1000
            try require(
                .deadlinesAsDocumented, isRight,
                "\(name) waits \((until - now).text) for its restart, and due is \((due - now).text)")
        } else {
            try require(
                .deadlinesAsDocumented, machine.deadline == contract.deadline,
                "\(name) is \(stage.rawValue) for \(machine.deadline.map { ($0 - now).text } ?? "ever"), and due is"
                    + " \(contract.deadline.map { ($0 - now).text } ?? "ever")")
        }
    }

    private func checkWords(_ machine: ComponentMachine, _ now: Instant) throws(Violation) {
        let explanation = machine.explanation(at: now)
        try require(
            .whyTellsTheTruth, !explanation.reason.isEmpty && !explanation.rule.isEmpty, "nothing is said of \(name)")
        let at = explanation.nextAt
        try require(
            .whyTellsTheTruth, at == machine.deadline,
            "`why` of \(name) has the next step in \(at.map { ($0 - now).text } ?? "no time"), its timer in"
                + " \(machine.deadline.map { ($0 - now).text } ?? "no time")")
    }
}

extension Contract.Stage {
    init(_ machine: ComponentMachine) {
        switch machine.state {
        case .down: self = .down
        case .waiting: self = .waiting
        case .failed: self = .failed
        case .running: self = .running
        case .closing: self = .closing
        case .starting(_, let phase):
            switch phase {
            case .launching: self = .launching
            case .queued: self = .queued
            case .code: self = .code
            case .spawning: self = .spawning
            case .booting(_, .spawned, _): self = .spawned
            case .booting(_, .hello, _): self = .hello
            case .booting(_, .preloaded, _): self = .preloaded
            }
        }
    }
}
