/// Decides when components that start with the system run: once and for all after the login, in windows, or when woken.
/// Has no clock, looks at no machine and starts nothing itself.
///
/// The driver hands in events, performs the actions in order, and keeps one timer for `deadline`, at which it looks at the
/// machine and sends `.tick`. Instants are of a clock that goes on while the machine sleeps.
public struct BackgroundTaskManager: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        /// These are the user's tasks, and none of their components runs.
        case loggedIn([BackgroundTask.Spec])
        /// Apps or rules have changed: these are the tasks now.
        case changed([BackgroundTask.Spec])
        case permitted(PermittedTasks)
        /// Nothing is started afterwards; the components are closed by others.
        case loggedOut
        case presence(ComponentID, BackgroundTask.Presence)
        /// By a command.
        case startedByUser(ComponentID)
        case tick(MachineConditions)
    }

    public enum Action: Hashable, Sendable {
        case start(ComponentID)
        case stop(ComponentID)
        case began(BackgroundTask.Spec, BackgroundTask.Trigger)
        case ended(BackgroundTask.Spec, BackgroundTask.PastCycle)
        /// Told once, and again when it waits for something else.
        case waits(BackgroundTask.Spec, [UnmetCondition])
        case notPermitted(BackgroundTask.Spec)
    }

    /// What a wake came to.
    public enum Woken: String, Hashable, Sendable {
        case started
        /// A cycle runs; one more follows it.
        case queued
        /// One more was to follow already: it is the same.
        case merged
        /// It was started by somebody else, and works anyway.
        case running
    }

    public enum WakeRefusal: Error, Hashable, Sendable {
        case unknown
        case notPermitted
        case notInCycles(BackgroundMode)
        case failed, stoppedByUser
    }

    /// In the order in which they were registered.
    public private(set) var tasks: [BackgroundTask] = []
    public private(set) var permitted: PermittedTasks
    private var isLoggedIn = false

    /// How long a machine that is not as a window wants it is left alone, unless windows are closer together.
    public static let lookInterval = Duration.seconds(60)

    public init(permitted: PermittedTasks = .all) { self.permitted = permitted }

    public var deadline: Instant? { tasks.compactMap(\.deadline).min() }

    public func task(of component: ComponentID) -> BackgroundTask? { tasks.first { $0.spec.component == component } }

    /// `random` is in 0..<1, and sets windows of many tasks apart.
    public mutating func handle(_ event: Event, at now: Instant, random: Double) -> [Action] {
        switch event {
        case .loggedIn(let specs):
            isLoggedIn = true
            tasks = []
            return specs.flatMap { add($0, now, starts: true) }
        case .changed(let specs): return isLoggedIn ? change(to: specs, now, random) : []
        case .permitted(let permitted): return permit(permitted, now, random)
        case .loggedOut:
            isLoggedIn = false
            tasks = []
            return []
        case .presence(let component, let presence):
            return with(component) { $0.now(presence, now, random) }
        case .startedByUser(let component):
            return with(component) { task in
                guard case .running(let cycle) = task.state else { return [] }
                return task.finish(cycle, .startedByUser, now, random)
            }
        case .tick(let conditions):
            return tasks.indices.flatMap { tasks[$0].tick(conditions, now, random) }
        }
    }

    /// One cycle at once, whatever the machine does.
    public mutating func wake(
        _ component: ComponentID, at now: Instant
    ) -> Result<(woken: Woken, actions: [Action]), WakeRefusal> {
        guard let index = tasks.firstIndex(where: { $0.spec.component == component }) else { return .failure(.unknown) }
        return tasks[index].wake(now)
    }

    private mutating func with(
        _ component: ComponentID, _ change: (inout BackgroundTask) -> [Action]
    ) -> [Action] {
        guard let index = tasks.firstIndex(where: { $0.spec.component == component }) else { return [] }
        return change(&tasks[index])
    }

    private mutating func add(_ spec: BackgroundTask.Spec, _ now: Instant, starts: Bool) -> [Action] {
        var task = BackgroundTask(spec, isPermitted: permitted.contains(spec.id))
        defer { tasks.append(task) }
        return task.isPermitted ? task.register(now, starts: starts) : [.notPermitted(spec)]
    }

    private mutating func change(to specs: [BackgroundTask.Spec], _ now: Instant, _ random: Double) -> [Action] {
        let old = tasks
        tasks = []
        var actions: [Action] = []
        for spec in specs {
            guard var task = old.first(where: { $0.spec.component == spec.component }) else {
                // A new app's components are launched by whoever installs it.
                actions += add(spec, now, starts: false)
                continue
            }
            actions += task.adopt(spec, now, random)
            tasks.append(task)
        }
        return actions
    }

    private mutating func permit(_ permitted: PermittedTasks, _ now: Instant, _ random: Double) -> [Action] {
        self.permitted = permitted
        return tasks.indices.flatMap { index -> [Action] in
            let isPermitted = permitted.contains(tasks[index].spec.id)
            guard isPermitted != tasks[index].isPermitted else { return [] }
            tasks[index].isPermitted = isPermitted
            return isPermitted
                ? tasks[index].register(now, starts: true)
                : tasks[index].withdraw(now, random) + [.notPermitted(tasks[index].spec)]
        }
    }
}
