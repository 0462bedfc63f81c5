import Supervision
import TestSupport
import Testing

/// Rules of the schedule over random orders of what happens, with components that obey it as machines do.
@Suite struct BackgroundTaskPropertyTests {
    private static let components = (0..<4).map { ComponentID(appDomain: "a.b", entrypoint: "/\($0).mjs") }

    /// What the test knows of one component without asking the schedule.
    private struct Known {
        var presence = BackgroundTask.Presence.down
        var cycle: (began: Instant, by: BackgroundTask.Trigger)?
        var lastWindow: Instant?
        /// A wake was accepted and no cycle has begun since.
        var isOwed = false
    }

    private struct World {
        var manager = BackgroundTaskManager()
        var specs: [BackgroundTask.Spec]
        var known: [ComponentID: Known] = [:]
        var now = Instant(nanoseconds: 1_000_000_000)
        var conditions = MachineConditions(load: 0, power: .external)
        var problems: [String] = []

        mutating func send(_ event: BackgroundTaskManager.Event, _ random: Double) {
            perform(manager.handle(event, at: now, random: random))
        }

        mutating func perform(_ actions: [BackgroundTaskManager.Action]) {
            for action in actions {
                switch action {
                case .start(let component): start(component)
                case .stop(let component): stop(component)
                case .began(let task, let by): began(task, by)
                case .ended(let task, let cycle): ended(task, cycle)
                case .waits, .notPermitted: break
                }
            }
        }

        mutating func become(_ presence: BackgroundTask.Presence, _ component: ComponentID, _ random: Double) {
            known[component, default: Known()].presence = presence
            send(.presence(component, presence), random)
        }

        private mutating func start(_ component: ComponentID) {
            let task = manager.task(of: component)
            check(task?.isPermitted == true, "\(component) is started and not permitted")
            let presence = known[component]?.presence ?? .down
            check(presence == .down || presence == .closing, "\(component) is started while \(presence)")
            if presence == .down { become(.up, component, 0.5) }
        }

        private mutating func stop(_ component: ComponentID) {
            check(known[component]?.cycle != nil, "\(component) is stopped outside a cycle")
            if known[component]?.presence == .up { become(.closing, component, 0.5) }
        }

        private mutating func began(_ task: BackgroundTask.Spec, _ by: BackgroundTask.Trigger) {
            var known = known[task.component, default: Known()]
            check(known.cycle == nil, "\(task.id): a cycle begins in another")
            check(task.mode.runsInCycles, "\(task.id): a cycle of one that is \(task.mode)")
            if by == .window, known.presence == .down {
                check((conditions.load ?? 0) <= task.window.maxLoad, "\(task.id): a window on a busy machine")
                check(
                    task.window.power == .any || conditions.power != .battery, "\(task.id): a window on a battery")
            }
            known.cycle = (now, by)
            known.isOwed = false
            self.known[task.component] = known
        }

        private mutating func ended(_ task: BackgroundTask.Spec, _ cycle: BackgroundTask.PastCycle) {
            let began = known[task.component]?.cycle?.began
            check(began == cycle.began, "\(task.id): another cycle ended than had begun")
            known[task.component]?.cycle = nil
        }

        mutating func check(_ holds: Bool, _ problem: @autoclosure () -> String) {
            if !holds { problems.append(problem()) }
        }

        mutating func checkSchedule() {
            for task in manager.tasks {
                let cycle = known[task.spec.component]?.cycle
                switch task.state {
                case .running(let running):
                    check(cycle?.began == running.began, "\(task.spec.id) runs in a cycle that nobody was told of")
                    check(running.endsAt > now, "\(task.spec.id) runs after its end")
                case .ending: check(cycle != nil, "\(task.spec.id) ends a cycle that nobody was told of")
                case .scheduled(let due):
                    let most = Duration.nanoseconds(Int64(Double(task.spec.window.every.nanoseconds) * 1.1) + 1)
                    check(due - now <= most, "\(task.spec.id) is due too late")
                    check(cycle == nil, "\(task.spec.id) is due in a cycle")
                case .waiting, .unscheduled: check(cycle == nil, "\(task.spec.id) has a cycle and does not run")
                }
                let rests =
                    if case .running = task.state { false } else if case .ending = task.state { false } else { true }
                if rests, task.isPermitted, task.spec.mode == .windowed {
                    check(task.state != .unscheduled, "\(task.spec.id) is windowed and never due")
                }
                if known[task.spec.component]?.isOwed == true {
                    check(!rests, "\(task.spec.id) was woken, and nothing follows")
                }
            }
        }
    }

    private func randomSpec(_ component: ComponentID, _ random: inout SeededRandom) -> BackgroundTask.Spec {
        let length = Int.random(in: 1...200, using: &random)
        let window = WindowPolicy(
            every: .seconds(length + Int.random(in: 1...1000, using: &random)), length: .seconds(length),
            maxLoad: Double.random(in: 0.1...2, using: &random), power: Bool.random(using: &random) ? .external : .any)
        return BackgroundTask.Spec(
            component: component, mode: BackgroundMode.allCases.randomElement(using: &random) ?? .push, window: window)
    }

    @Test func everyOrderKeepsTheRules() async throws {
        let seed = SeededRandom.seed(for: "background tasks")
        var random = SeededRandom(seed: seed)
        for run in 0..<300 {
            var world = World(specs: Self.components.map { randomSpec($0, &random) })
            world.send(.loggedIn(world.specs), 0.5)
            for step in 0..<200 {
                apply(&world, &random)
                // The driver's timer: never too late, and never again and again without getting further.
                var ticks = 0
                while let deadline = world.manager.deadline, deadline <= world.now {
                    world.send(.tick(world.conditions), Double.random(in: 0..<1, using: &random))
                    ticks += 1
                    guard ticks < 20 else { break }
                }
                world.check(ticks < 20, "the timer does not get further")
                world.checkSchedule()
                try #require(
                    world.problems.isEmpty,
                    "seed \(seed), run \(run), step \(step): \(world.problems); \(world.manager)")
            }
            await Task.yield()
        }
    }

    private func apply(_ world: inout World, _ random: inout SeededRandom) {
        let component = Self.components.randomElement(using: &random) ?? Self.components[0]
        let chance = Double.random(in: 0..<1, using: &random)
        let presence = world.known[component]?.presence ?? .down
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            let far = world.manager.deadline.map { $0 - world.now } ?? .seconds(100)
            world.now =
                world.now + (chance < 0.5 ? max(.zero, far) : .seconds(Int.random(in: 0...2000, using: &random)))
        case 2: world.conditions.load = Bool.random(using: &random) ? nil : chance * 3
        case 3: world.conditions.power = [.external, .battery, .noBattery].randomElement(using: &random) ?? .external
        case 4, 5:
            guard case .success(let (woken, actions)) = world.manager.wake(component, at: world.now) else { return }
            if woken != .running { world.known[component, default: Known()].isOwed = true }
            world.perform(actions)
        case 6, 7: step(component, from: presence, chance, &world)
        case 8:
            if chance < 0.5 {
                // The user's word, or a failure, may end what was owed.
                world.known[component, default: Known()].isOwed = false
                world.become(chance < 0.25 ? .failed : .stoppedByUser, component, chance)
            } else if presence == .failed || presence == .stoppedByUser {
                world.become(.up, component, chance)
            }
        case 9:
            world.known[component, default: Known()].isOwed = false
            world.send(.startedByUser(component), chance)
            if presence == .down { world.become(.up, component, chance) }
        case 10:
            let index = Int.random(in: 0..<world.specs.count, using: &random)
            world.specs[index] = randomSpec(Self.components[index], &random)
            world.known[Self.components[index], default: Known()].isOwed = false
            world.send(.changed(world.specs), chance)
        default:
            let identifiers = world.specs.map(\.id).filter { _ in Double.random(in: 0..<1, using: &random) < 0.8 }
            for id in Self.components { world.known[id, default: Known()].isOwed = false }
            world.send(.permitted(PermittedTasks(identifiers: identifiers)), chance)
        }
    }

    /// What a component does by itself, or an app makes it do.
    private func step(
        _ component: ComponentID, from presence: BackgroundTask.Presence, _ chance: Double, _ world: inout World
    ) {
        switch presence {
        case .down: if chance < 0.3 { world.become(.up, component, chance) }
        case .up: world.become(.closing, component, chance)
        case .closing:
            // An app needs it meanwhile: it comes up again without having been down.
            let isNeeded = chance < 0.2 || isStartDue(component, world)
            if isNeeded { world.known[component]?.isOwed = false }
            world.become(isNeeded ? .up : .down, component, chance)
        case .failed, .stoppedByUser: break
        }
    }

    /// A cycle that began while the component was closing has asked for its start.
    private func isStartDue(_ component: ComponentID, _ world: World) -> Bool {
        guard case .running? = world.manager.task(of: component)?.state else { return false }
        return true
    }
}
