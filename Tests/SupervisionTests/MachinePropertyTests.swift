import Glibc
import Supervision
import TestSupport
import Testing

/// Rules of `MachineWorld` over many orders of events. Long enough that other tests must get turns in between.
@Suite struct MachinePropertyTests {
    private func world(_ restart: RestartType, maxRestarts: Int = 2, instance: Int = 0) -> MachineWorld {
        var policy = RestartPolicy(restart: restart)
        policy.maxRestarts = maxRestarts
        let id = ComponentID(appDomain: "a.b", entrypoint: "/c.mjs", instance: instance)
        return MachineWorld(ComponentMachine(ComponentSpec(id: id, policy: policy)))
    }

    /// Events from down to running, and one path to each state beside.
    private static let paths: [[ComponentEvent]] = {
        let start: [ComponentEvent] = [
            .startRequested(connector: "c0"), .slotGranted, .prepared(connector: "c0"), .spawned(pid: 100), .hello,
            .preloaded, .ready,
        ]
        let crash: [ComponentEvent] =
            start + [.exited(.exited(3)), .portClosed(connector: "c0", .endOfFile(partialFrame: 0))]
        return (0...start.count).map { Array(start.prefix($0)) } + [
            [.start(by: .user("u"))],
            start + [.stop(by: .user("u"))],
            start + [.restart(by: .user("u"))],
            start + [.exited(.exited(3))],
            start + [.portClosed(connector: "c0", .bye)],
            crash,
            Array(start.prefix(2)) + [
                .prepareFailed(connector: "c0", .missing(path: "/c.mjs")), .portClosed(connector: "c0", .byPlatform),
            ],
            Array(start.prefix(3)) + [.stop(by: .user("u"))],
            [.stop(by: .user("u"))],
            start + [.shutdown(fast: false)],
        ]
    }()

    @Test(arguments: RestartType.allCases, [0, 1])
    func everySequenceFromEveryStateKeepsTheRules(restart: RestartType, instance: Int) async throws {
        var layer: Set<MachineWorld> = []
        for path in Self.paths {
            var world = world(restart, instance: instance)
            for event in path where !world.isForgotten { try world.apply(event) }
            if !world.isForgotten { layer.insert(world) }
        }
        var seen = layer
        var tried = 0
        for _ in 0..<3 {
            var next: Set<MachineWorld> = []
            for world in layer {
                await Task.yield()
                for event in MachineWorld.commands + world.news {
                    var after = world
                    try after.apply(event)
                    tried += 1
                    if !after.isForgotten, seen.insert(after).inserted { next.insert(after) }
                }
            }
            layer = next
        }
        print("\(restart), instance \(instance): \(tried) steps, \(seen.count) worlds")
        for world in layer where world.hashValue % 16 == 0 { try world.endsAfterShutdown() }
    }

    /// 100,000 in all, in parts that run side by side.
    @Test(arguments: 0..<4)
    func randomInterleavingsKeepTheRules(part: Int) async throws {
        let seed = SeededRandom.seed(for: "randomInterleavingsKeepTheRules, part \(part)") &+ UInt64(part)
        var random = SeededRandom(seed: seed)
        var reached: [String: Int] = [:]
        for _ in 0..<25_000 {
            await Task.yield()
            let restart = RestartType.allCases.randomElement(using: &random) ?? .permanent
            var world = world(restart, maxRestarts: 3, instance: Int.random(in: 0...9, using: &random) == 0 ? 1 : 0)
            var history: [ComponentEvent] = []
            do {
                for _ in 0..<Int.random(in: 1...24, using: &random) where !world.isForgotten {
                    guard let event = pick(world, &random) else { break }
                    history.append(event)
                    try world.apply(event, random: .random(in: 0..<1, using: &random))
                }
                reached[world.machine.state.name, default: 0] += 1
                if !world.isForgotten, random.next() % 3 == 0 { try world.endsAfterShutdown() }
            } catch {
                Issue.record("part \(part): \(error), after \(history)")
                return
            }
        }
        #expect(Set(reached.keys) == ["down", "starting", "running", "closing", "waiting", "failed"])
    }

    /// Mostly what a well-behaved world does, so that lives get far, with anything possible in between.
    private func pick(_ world: MachineWorld, _ random: inout SeededRandom) -> ComponentEvent? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            return MachineWorld.commands.dropLast(Int.random(in: 0..<20, using: &random) == 0 ? 0 : 3)
                .randomElement(using: &random)
        case 1...3: return world.news.randomElement(using: &random)
        default:
            return world.nextOfBoot ?? world.fairNews ?? world.news.randomElement(using: &random)
        }
    }
}
