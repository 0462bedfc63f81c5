internal import Control
internal import CoreHosting
internal import EventLoop
internal import Glibc
internal import Logging
internal import Supervision

/// Background tasks: performs what `BackgroundTaskManager` says.
extension Supervisor {
    /// Goes on while the machine sleeps, so that a window that was slept through is due.
    var taskNow: Instant { .sinceBoot }

    /// The timer's clock stands still while the machine sleeps: it is set anew at least so often, while windows are due.
    private static let longestTimer = Duration.seconds(60)

    var taskSpecs: [BackgroundTask.Spec] {
        allDrivers.filter { $0.info.startsWithSystem && !$0.isGone && $0.id.instance == 0 }.map { driver in
            let policy = driver.machine.spec.policy
            return BackgroundTask.Spec(component: driver.id, mode: policy.background, window: policy.window)
        }
    }

    func schedule(_ event: BackgroundTaskManager.Event) {
        let actions = backgroundTasks.handle(event, at: taskNow, random: Double.random(in: 0..<1))
        for action in actions { perform(action) }
        armTaskTimer()
    }

    /// After each step of a machine.
    func notePresence(_ driver: ComponentDriver) {
        guard driver.info.startsWithSystem else { return }
        let presence = driver.presence
        guard presence != driver.lastPresence else { return }
        driver.lastPresence = presence
        schedule(.presence(driver.id, presence))
    }

    private func armTaskTimer() {
        guard phase != .closing, let deadline = backgroundTasks.deadline else {
            taskTimer.stop()
            return
        }
        taskTimer.start(after: min(deadline - taskNow, Self.longestTimer)) { [unowned self] in
            schedule(.tick(machineReadings.conditions))
        }
    }

    private func perform(_ action: BackgroundTaskManager.Action) {
        switch action {
        case .start(let component): deliver(.start(by: .platform), to: component)
        case .stop(let component): deliver(.stop(by: .platform), to: component)
        case .began(let task, let trigger): tell(.taskBegan, "background task begins", task, ["by": trigger.rawValue])
        case .ended(let task, let cycle):
            let fields = ["outcome": cycle.outcome.rawValue, "after": Self.milliseconds((cycle.began, cycle.ended))]
            tell(.taskEnded, "background task ends", task, fields)
        case .waits(let task, let unmet):
            let what = unmet.map { "\($0)" }.joined(separator: "; ")
            tell(.taskWaits, "background task waits", task, ["for": what])
        case .notPermitted(let task):
            tell(
                .taskNotPermitted, "background task is not permitted; it is not started with the system", task,
                ["key": "tasks.permitted"], .warning)
        }
    }

    private func tell(
        _ kind: EventKind, _ text: String, _ task: BackgroundTask.Spec, _ fields: [String: String],
        _ level: LogLevel = .info
    ) {
        let named = fields.merging(["task": task.id]) { $1 }
        say(level, text, named.merging(["component": "\(task.component)"]) { $1 })
        journal.record(kind, component: "\(task.component)", named)
    }

    // MARK: Commands

    var tasks: TasksReply {
        let (conditions, now) = (machineReadings.conditions, taskNow)
        return TasksReply(
            machine: TasksReply.Machine(load: conditions.load, power: conditions.power.rawValue),
            permitted: backgroundTasks.permitted.identifiers,
            tasks: backgroundTasks.tasks.map { TaskRow($0, at: now) })
    }

    func wake(_ name: String, _ exchange: ControlExchange) throws(ControlError) {
        try requireLogin()
        let task = try findTask(name)
        guard let driver = try? find("\(task.spec.component)") else { throw .noSuchComponent(name) }
        let isStarting = if case .starting = driver.machine.state { true } else { false }
        let next = driver.machine.generation + (isStarting ? 0 : 1)
        switch backgroundTasks.wake(driver.id, at: taskNow) {
        case .failure(let refusal): throw ControlError(.refused, Self.text(refusal, task.spec))
        case .success(let (woken, actions)):
            for action in actions { perform(action) }
            armTaskTimer()
            let reply = WakeReply(task: task.spec.id, component: "\(driver.id)", outcome: woken.rawValue)
            guard woken == .started else { return exchange.reply(reply) }
            driver.waiters.append(
                Waiter(goal: .running(atLeast: next)) { outcome in
                    switch outcome {
                    case .success: exchange.reply(reply)
                    case .failure(let failure):
                        exchange.fail(
                            ControlError(
                                .failed, "\(task.spec.id): \(failure.reason); see `corehost inspect \(driver.id)`"))
                    }
                })
            answerWaiters(driver)
        }
    }

    private func findTask(_ name: String) throws(ControlError) -> BackgroundTask {
        let all = backgroundTasks.tasks
        let exact = all.filter { $0.spec.id == name }
        let found = exact.isEmpty ? all.filter { !name.isEmpty && $0.spec.id.hasPrefix(name) } : exact
        if found.count > 1 { throw .ambiguous(name, candidates: found.map { "\($0.spec.component)" }) }
        if let task = found.first { return task }
        let driver: ComponentDriver
        do throws(ControlError) {
            driver = try find(name)
        } catch {
            guard error.exitCode == .noSuchID, error.data.isNull else { throw error }
            throw ControlError(.noSuchID, "no background task is called \"\(name)\"; `corehost tasks` lists them")
        }
        guard let task = backgroundTasks.task(of: driver.id) else {
            throw ControlError(
                .refused,
                "\(driver.id) does not start with the system, so it is no background task; a call of its service"
                    + " starts it, or `corehost start \(driver.id)`")
        }
        return task
    }

    private static func text(_ refusal: BackgroundTaskManager.WakeRefusal, _ task: BackgroundTask.Spec) -> String {
        switch refusal {
        case .unknown: "\(task.id) is not there any more; `corehost tasks` lists what is"
        case .notPermitted: "\(task.id) is not permitted; add it to \"tasks.permitted\" and `corehost reload`"
        case .notInCycles(let mode):
            "\(task.id) runs as \"\(mode.rawValue)\", not in cycles; \"background\": \"push\" or \"windowed\" would make it one"
                + " to wake, and `corehost restart \(task.component)` starts it anew"
        case .failed: "\(task.component) has failed; mend it, then `corehost start \(task.component)`"
        case .stoppedByUser:
            "\(task.component) was stopped by the user; `corehost start \(task.component)` lets it run again"
        }
    }
}

extension ComponentDriver {
    fileprivate var presence: BackgroundTask.Presence {
        switch machine.state {
        case .down: machine.wanted == .downByUser ? .stoppedByUser : .down
        case .starting, .running, .waiting: .up
        case .closing: .closing
        case .failed: .failed
        }
    }
}

extension Instant {
    /// Counts from the machine's start, and while it sleeps; not the loop's clock.
    static var sinceBoot: Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension TaskRow {
    fileprivate init(_ task: BackgroundTask, at now: Instant) {
        func seconds(until instant: Instant) -> Double { (instant - now).inSeconds }
        self.init(
            task: task.spec.id, component: "\(task.spec.component)", mode: task.spec.mode.rawValue,
            permitted: task.isPermitted, state: "", cycles: task.cycles,
            last: task.last.map { cycle in
                Cycle(
                    by: cycle.by.rawValue, outcome: cycle.outcome.rawValue, ago: (now - cycle.ended).inSeconds,
                    took: (cycle.ended - cycle.began).inSeconds)
            })
        switch task.state {
        case .unscheduled: state = "unscheduled"
        case .scheduled(let due): (state, nextIn) = ("scheduled", seconds(until: due))
        case .waiting(_, let lookAt, let unmet):
            (state, nextIn, waitsFor) = ("waiting", seconds(until: lookAt), unmet.map { "\($0)" })
        case .running(let cycle): (state, endsIn, again) = ("running", seconds(until: cycle.endsAt), cycle.again)
        case .ending(let cycle, _): (state, again) = ("closing", cycle.again)
        }
    }
}
