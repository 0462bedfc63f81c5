import Supervision

/// Background tasks, as `SupervisionPlane` has them run.
extension World {
    var taskSpecs: [BackgroundTask.Spec] {
        components.compactMap { component in
            guard component.startsWithSystem, let driver = component.driver else { return nil }
            let policy = driver.machine.spec.policy
            return BackgroundTask.Spec(component: component.spec.id, mode: policy.background, window: policy.window)
        }
    }

    func schedule(_ event: BackgroundTaskManager.Event) throws(Violation) {
        events += 1
        let actions = tasks.handle(event, at: now, random: Dice.unit(Dice.mix(setup.seed ^ UInt64(events))))
        mix(UInt64(actions.count) << 40 | UInt64(bitPattern: now.nanoseconds))
        try taskAudit.handled(event, actions, tasks, at: now)
        try perform(actions)
    }

    func wake(_ index: Int) throws(Violation) {
        guard phase == .running, case .loggedIn = login.state else { return }
        events += 1
        let id = components[index].spec.id
        let (woken, actions): (BackgroundTaskManager.Woken?, [BackgroundTaskManager.Action]) =
            switch tasks.wake(id, at: now) {
            case .success(let outcome): (outcome.woken, outcome.actions)
            case .failure: (nil, [])
            }
        try taskAudit.woken(id, woken, actions, tasks, at: now)
        try perform(actions)
    }

    private func perform(_ actions: [BackgroundTaskManager.Action]) throws(Violation) {
        for action in actions {
            switch action {
            case .start(let id):
                if let index = place(of: id) { try deliver(.start(by: .platform), to: index) }
            case .stop(let id):
                if let index = place(of: id) { try deliver(.stop(by: .platform), to: index) }
            case .began(let task, let by): note { "\(task.id): a cycle begins, by a \(by.rawValue)" }
            case .ended(let task, let cycle): note { "\(task.id): the cycle ends: \(cycle.outcome.rawValue)" }
            case .waits(let task, let unmet):
                note { "\(task.id): the window waits for \(unmet.map(\.name).joined(separator: ", "))" }
            case .notPermitted(let task): note { "\(task.id) is not permitted" }
            }
        }
        armTasks()
    }

    private func place(of id: ComponentID) -> Int? { components.firstIndex { $0.spec.id == id } }

    func notePresence(_ driver: Driver) throws(Violation) {
        guard components[driver.component].startsWithSystem else { return }
        let presence: BackgroundTask.Presence =
            switch driver.machine.state {
            case .down: driver.machine.wanted == .downByUser ? .stoppedByUser : .down
            case .starting, .running, .waiting: .up
            case .closing: .closing
            case .failed: .failed
            }
        guard presence != driver.presence else { return }
        driver.presence = presence
        try schedule(.presence(driver.machine.spec.id, presence))
    }

    func armTasks() {
        let due = phase == .running ? tasks.deadline : nil
        guard due != taskTimerAt else { return }
        taskTimerAt = due.map { max($0, now) }
        if let at = taskTimerAt { agenda.add((epoch, .taskTimer), at: at) }
    }
}
