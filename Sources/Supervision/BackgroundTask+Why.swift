extension BackgroundTask {
    /// `machine` is what the component's machine says of itself. A component that is down because of the schedule has
    /// another reason than the machine knows, and one that runs in a cycle an end that it does not know.
    ///
    /// - Parameters:
    ///   - now: on the schedule's clock.
    ///   - machineNow: the same moment on the machine's.
    public func explanation(
        _ machine: Explanation, isDown: Bool, at now: Instant, machineNow: Instant
    ) -> Explanation {
        func moment(_ instant: Instant) -> Instant { machineNow + (instant - now) }
        if case .running(let cycle) = state, presence == .up {
            return Explanation(
                reason: machine.reason, rule: machine.rule,
                evidence: machine.evidence + ["its \(cycle.name) began \((now - cycle.began).text) ago"],
                next: "it is closed, as its \(cycle.name) is over, and \(cycle.again ? "one more follows" : sequel)",
                nextAt: moment(cycle.endsAt), commands: machine.commands)
        }
        guard isDown, presence == .down else { return machine }
        func down(
            _ reason: String, _ rule: String, _ next: String?, _ at: Instant?, _ commands: [Explanation.Command]
        )
            -> Explanation
        {
            Explanation(
                reason: reason, rule: rule, evidence: machine.evidence + history(now), next: next,
                nextAt: at.map(moment), commands: commands)
        }
        let (start, wake) = (
            ComponentMachine.start, Explanation.Command("wake", "runs it once, now, for its longest time")
        )
        guard isPermitted else {
            return down(
                "it is down because its task, \(spec.id), is not permitted",
                "tasks.permitted: only tasks that it names are started with the system",
                "the next call of its service starts it", nil, [start])
        }
        switch (spec.mode, state) {
        case (.windowed, .scheduled(let due)):
            return down(
                "it is down between its windows", windowRule, "its next window, if the machine is ready for it then",
                due,
                [wake, start])
        case (.windowed, .waiting(let since, let lookAt, let unmet)):
            return down(
                "it is down because its window, due for \((now - since).text), waits: "
                    + unmet.map { "\($0)" }.joined(separator: "; "), windowRule, "the machine is looked at again",
                lookAt,
                [wake, start])
        case (.push, .unscheduled):
            return down(
                "it is down because nothing has asked for it",
                "push: one cycle of \(spec.window.length.text) at most for each wake", nil, nil, [wake, start])
        case (.always, _), (.foreground, _), (.windowed, _), (.push, _): return machine
        }
    }

    private var sequel: String { spec.mode == .windowed ? "its next window is set" : "it waits to be woken" }

    private var windowRule: String {
        let window = spec.window
        let power = window.power == .external ? ", and the machine is not on its battery" : ""
        return "windowed: \(window.length.text) about every \(window.every.text), while the load is"
            + " \(window.maxLoad) or less for each processor\(power)"
    }

    private func history(_ now: Instant) -> [String] {
        guard let last else { return [] }
        return [
            "its last \(last.by == .window ? "window" : "cycle") began \((now - last.began).text) ago and took"
                + " \((last.ended - last.began).text) (\(last.outcome.rawValue))"
        ]
    }
}

extension BackgroundTask.Cycle {
    fileprivate var name: String { by == .window ? "window" : "cycle" }
}
