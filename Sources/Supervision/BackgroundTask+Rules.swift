/// What happens to one task.
extension BackgroundTask {
    typealias Action = BackgroundTaskManager.Action

    /// - Parameter starts: of those that are not run in cycles: start it now, unless it is there or must not be.
    mutating func register(_ now: Instant, starts: Bool) -> [Action] {
        // What follows is decided when that cycle is over.
        if case .ending = state { return [] }
        switch spec.mode {
        case .always, .foreground:
            state = .unscheduled
            return starts && presence == .down ? [.start(spec.component)] : []
        case .windowed: state = .scheduled(due: now)
        case .push: state = .unscheduled
        }
        return []
    }

    /// It is not permitted any more: a cycle is ended; what was started for good goes on.
    mutating func withdraw(_ now: Instant, _ random: Double) -> [Action] {
        switch state {
        case .running(var cycle):
            cycle.again = false
            return end(cycle, .reconfigured, now, random)
        case .ending(var cycle, let outcome):
            cycle.again = false
            state = .ending(cycle, outcome)
        case .unscheduled, .scheduled, .waiting: state = .unscheduled
        }
        return []
    }

    /// Other rules. One that runs when it is put into cycles has its first one now; one that is taken out of them goes on.
    mutating func adopt(_ new: Spec, _ now: Instant, _ random: Double) -> [Action] {
        let old = spec
        spec = new
        guard isPermitted, old != new else { return [] }
        guard old.mode != new.mode else {
            if case .scheduled(let due) = state { state = .scheduled(due: min(due, now + new.window.every)) }
            return []
        }
        switch (new.mode, state) {
        case (.always, .running(let cycle)), (.foreground, .running(let cycle)):
            return finish(cycle, .reconfigured, now, random)
        case (.windowed, .running), (.push, .running), (_, .ending): return []
        case (.windowed, _) where presence == .up, (.push, _) where presence == .up:
            return begin(.window, now, starts: false)
        case (.windowed, _), (.push, _), (.foreground, _):
            return register(now, starts: false)
        case (.always, _): return register(now, starts: true)
        }
    }

    mutating func now(_ presence: Presence, _ now: Instant, _ random: Double) -> [Action] {
        guard presence != self.presence else { return [] }
        self.presence = presence
        switch (state, presence) {
        case (.running(let cycle), .down): return finish(cycle, .ended, now, random)
        case (.running(let cycle), .failed): return finish(cycle, .failed, now, random)
        case (.running(let cycle), .stoppedByUser): return finish(cycle, .stoppedByUser, now, random)
        // Up again: somebody else has needed it meanwhile.
        case (.ending(let cycle, let outcome), .down), (.ending(let cycle, let outcome), .failed),
            (.ending(let cycle, let outcome), .stoppedByUser), (.ending(let cycle, let outcome), .up):
            return finish(cycle, outcome, now, random)
        case (.running, .up), (.running, .closing), (.ending, .closing), (.unscheduled, _), (.scheduled, _),
            (.waiting, _):
            return []
        }
    }

    mutating func tick(_ conditions: MachineConditions, _ now: Instant, _ random: Double) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .unscheduled, .ending: return []
        case .scheduled(let due): return open(due: due, conditions, now, random)
        case .waiting(let since, _, _): return open(due: since, conditions, now, random)
        case .running(var cycle):
            if now >= cycle.endsAt { return end(cycle, .timeOver, now, random) }
            if isOnBattery(conditions) { return end(cycle, .powerLost, now, random) }
            cycle.lookAt = now + lookInterval
            state = .running(cycle)
            return []
        }
    }

    mutating func wake(
        _ now: Instant
    ) -> Result<(woken: BackgroundTaskManager.Woken, actions: [Action]), BackgroundTaskManager.WakeRefusal> {
        guard isPermitted else { return .failure(.notPermitted) }
        guard spec.mode.runsInCycles else { return .failure(.notInCycles(spec.mode)) }
        switch state {
        case .running(var cycle):
            let woken: BackgroundTaskManager.Woken = cycle.again ? .merged : .queued
            cycle.again = true
            state = .running(cycle)
            return .success((woken, []))
        case .ending(var cycle, let outcome):
            let woken: BackgroundTaskManager.Woken = cycle.again ? .merged : .queued
            cycle.again = true
            state = .ending(cycle, outcome)
            return .success((woken, []))
        case .unscheduled, .scheduled, .waiting: break
        }
        switch presence {
        case .up: return .success((.running, []))
        case .failed: return .failure(.failed)
        case .stoppedByUser: return .failure(.stoppedByUser)
        case .down, .closing: return .success((.started, begin(.wake, now, starts: true)))
        }
    }

    private var lookInterval: Duration { min(BackgroundTaskManager.lookInterval, spec.window.every) }

    private func isOnBattery(_ conditions: MachineConditions) -> Bool {
        spec.window.power == .external && conditions.power == .battery
    }

    private func unmet(_ conditions: MachineConditions) -> [UnmetCondition] {
        var unmet: [UnmetCondition] = []
        if presence == .failed { unmet.append(.failed) }
        if presence == .stoppedByUser { unmet.append(.stoppedByUser) }
        if let load = conditions.load, load > spec.window.maxLoad {
            unmet.append(.busy(load: load, most: spec.window.maxLoad))
        }
        if isOnBattery(conditions) { unmet.append(.onBattery) }
        return unmet
    }

    /// `due`: since when.
    private mutating func open(
        due: Instant, _ conditions: MachineConditions, _ now: Instant, _ random: Double
    ) -> [Action] {
        if presence == .up || presence == .closing {
            // Somebody else has it running: it does its work without a window.
            state = .scheduled(due: next(after: now, random))
            return []
        }
        let unmet = unmet(conditions)
        guard !unmet.isEmpty else { return begin(.window, now, starts: true) }
        var known: [String] = []
        if case .waiting(_, _, let before) = state { known = before.map(\.name) }
        state = .waiting(since: due, lookAt: now + lookInterval, for: unmet)
        return known == unmet.map(\.name) ? [] : [.waits(spec, unmet)]
    }

    private mutating func begin(_ by: Trigger, _ now: Instant, starts: Bool) -> [Action] {
        let watchesPower = by == .window && spec.mode == .windowed && spec.window.power == .external
        state = .running(
            Cycle(
                by: by, began: now, endsAt: now + spec.window.length, lookAt: watchesPower ? now + lookInterval : nil))
        return [.began(spec, by)] + (starts ? [.start(spec.component)] : [])
    }

    private mutating func end(
        _ cycle: Cycle, _ outcome: Outcome, _ now: Instant, _ random: Double
    ) -> [Action] {
        // A start that was refused has left nothing to close.
        guard presence == .up || presence == .closing else { return finish(cycle, outcome, now, random) }
        state = .ending(cycle, outcome)
        return [.stop(spec.component)]
    }

    mutating func finish(_ cycle: Cycle, _ outcome: Outcome, _ now: Instant, _ random: Double) -> [Action] {
        let past = PastCycle(by: cycle.by, began: cycle.began, ended: now, outcome: outcome)
        cycles += 1
        last = past
        if isPermitted, spec.mode.runsInCycles, cycle.again, presence == .down {
            return [.ended(spec, past)] + begin(.wake, now, starts: true)
        }
        if isPermitted, spec.mode == .always, presence == .down {
            state = .unscheduled
            return [.ended(spec, past), .start(spec.component)]
        }
        state =
            isPermitted && spec.mode == .windowed
            ? .scheduled(due: max(now, next(after: cycle.began, random))) : .unscheduled
        return [.ended(spec, past)]
    }

    private func next(after begin: Instant, _ random: Double) -> Instant {
        let tenths = 0.9 + 0.2 * random
        return begin + .nanoseconds(Int64(Double(spec.window.every.nanoseconds) * tenths))
    }
}
