import Supervision

/// Background tasks from outside: cycles that began and ended, wakes that were promised one.
struct TaskAudit {
    private struct Task {
        /// Of the cycle that runs.
        var began: Instant?
        var endsAt = Instant(nanoseconds: 0)
        /// A wake was told that one more cycle follows.
        var again = false
        /// The last window's, under the rules as they are.
        var window: (began: Instant, every: Duration)?
    }

    private var tasks: [ComponentID: Task] = [:]
    private var isLoggedIn = false

    mutating func handled(
        _ event: BackgroundTaskManager.Event, _ actions: [BackgroundTaskManager.Action],
        _ manager: BackgroundTaskManager, at now: Instant
    ) throws(Violation) {
        var conditions: MachineConditions?
        switch event {
        case .loggedIn: (isLoggedIn, tasks) = (true, [:])
        case .loggedOut: (isLoggedIn, tasks) = (false, [:])
        case .changed(let specs):
            tasks = tasks.filter { id, _ in specs.contains { $0.component == id } }
            for id in tasks.keys { tasks[id]?.window = nil }
        case .permitted:
            for task in manager.tasks { tasks[task.spec.component]?.window = nil }
            for task in manager.tasks where !task.isPermitted { tasks[task.spec.component]?.again = false }
        case .tick(let seen): conditions = seen
        case .presence, .startedByUser: break
        }
        try look(actions, conditions, manager, now)
    }

    mutating func woken(
        _ id: ComponentID, _ woken: BackgroundTaskManager.Woken?, _ actions: [BackgroundTaskManager.Action],
        _ manager: BackgroundTaskManager, at now: Instant
    ) throws(Violation) {
        let runs = tasks[id]?.began != nil
        switch woken {
        case .queued, .merged:
            let isSecond = tasks[id]?.again == true
            try require(
                .wakesAreMerged, runs && isSecond == (woken == .merged), "a wake of \(id) is told as one that waits")
            tasks[id]?.again = true
        case .started:
            try require(.wakesAreMerged, !runs, "a wake of \(id) starts a second cycle")
            tasks[id, default: Task()].again = true
        case .running, nil: break
        }
        try look(actions, nil, manager, now)
    }

    private mutating func look(
        _ actions: [BackgroundTaskManager.Action], _ conditions: MachineConditions?, _ manager: BackgroundTaskManager,
        _ now: Instant
    ) throws(Violation) {
        for action in actions {
            switch action {
            case .start(let id):
                let isPermitted = manager.task(of: id)?.isPermitted == true
                try require(.tasksKeepTheirRules, isPermitted && isLoggedIn, "\(id) is started, and is not permitted")
            case .began(let spec, let by): try begins(spec, by, conditions, now)
            case .ended(let spec, let past):
                let began = tasks[spec.component]?.began
                try require(.cyclesEnd, began == past.began, "a cycle of \(spec.id) ends that did not run")
                tasks[spec.component]?.began = nil
                let runsOn = manager.task(of: spec.component).map {
                    if case .running = $0.state { true } else { false }
                }
                let isDue = tasks[spec.component]?.again == true && past.outcome == .ended
                try require(.wakesAreMerged, !isDue || runsOn == true, "\(spec.id) was woken, and no cycle follows")
                if runsOn != true { tasks[spec.component]?.again = false }
            case .stop, .waits, .notPermitted: break
            }
        }
        for task in manager.tasks {
            let known = tasks[task.spec.component]
            switch task.state {
            case .running:
                let inTime = known.map { $0.began != nil && (conditions == nil || now < $0.endsAt) } ?? false
                try require(.cyclesEnd, inTime, "a cycle of \(task.spec.id) runs beyond its end")
            case .ending: try require(.cyclesEnd, known?.began != nil, "\(task.spec.id) ends a cycle that did not run")
            case .unscheduled, .scheduled, .waiting:
                try require(.cyclesEnd, known?.began == nil, "a cycle of \(task.spec.id) has no end")
            }
        }
    }

    private mutating func begins(
        _ spec: BackgroundTask.Spec, _ by: BackgroundTask.Trigger, _ conditions: MachineConditions?, _ now: Instant
    ) throws(Violation) {
        var task = tasks[spec.component] ?? Task()
        try require(.cyclesEnd, task.began == nil, "\(spec.id) begins a cycle in another one")
        if by == .wake {
            try require(.wakesAreMerged, task.again, "\(spec.id) begins a cycle, and nobody woke it")
            task.again = false
        } else if let conditions {
            let isQuiet = conditions.load.map { $0 <= spec.window.maxLoad } ?? true
            let hasPower = spec.window.power == .any || conditions.power != .battery
            try require(
                .tasksKeepTheirRules, isQuiet && hasPower && spec.mode == .windowed,
                "a window of \(spec.id) opens on a machine that is not as it wants it")
            if let last = task.window {
                try require(
                    .tasksKeepTheirRules, now - last.began >= last.every * 0.9 - .microseconds(1),
                    "a window of \(spec.id) opens \((now - last.began).text) after the last one")
            }
            task.window = (now, spec.window.every)
        }
        (task.began, task.endsAt) = (now, now + spec.window.length)
        tasks[spec.component] = task
    }
}
