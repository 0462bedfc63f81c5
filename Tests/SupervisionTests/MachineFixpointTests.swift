import Glibc
import Supervision
import TestSupport
import Testing

/// Everything that one component can come to, explored until nothing new is found; and two components that share one
/// start slot.
@Suite struct MachineFixpointTests {
    private func world(_ restart: RestartType, maxRestarts: Int, instance: Int = 0) -> MachineWorld {
        var policy = RestartPolicy(restart: restart)
        policy.maxRestarts = maxRestarts
        let id = ComponentID(appDomain: "a.b", entrypoint: "/c.mjs", instance: instance)
        return MachineWorld(ComponentMachine(ComponentSpec(id: id, policy: policy)))
    }

    /// Worlds that differ in nothing that decides: numbers of lives, connectors and processes and the time of day are left
    /// out, of a verdict only its cause counts, of what is under way what `why` would say.
    private func key(_ world: MachineWorld) -> String {
        let machine = world.machine
        let explanation = machine.explanation(at: world.now)
        let wanted =
            switch machine.wanted {
            case .up: "up"
            case .down: "down"
            case .downByUser: "down by the user"
            }
        let words = "\(explanation.reason) \(explanation.next ?? "")".utf8.filter { !(0x30...0x39).contains($0) }
        return "\(String(decoding: words, as: UTF8.self)) \(machine.lastVerdict?.cause.rawValue ?? "") \(wanted)"
            + " \(machine.isShuttingDown) \(machine.restartsInPeriod(at: world.now)) \(world.surroundings)"
    }

    /// One of each kind that the machine tells apart.
    private func events(_ world: MachineWorld) -> [ComponentEvent] {
        MachineWorld.commands
            + world.news.filter { event in
                switch event {
                case .exited(.exited(0)), .exited(.signalled(SIGTERM)), .fatalSignal,
                    .kernelSaid:
                    false
                default: true
                }
            }
    }

    @Test(arguments: RestartType.allCases, [0, 1])
    func everyReachableStateKeepsTheRules(restart: RestartType, instance: Int) async throws {
        var seen: Set<String> = []
        var names: Set<String> = []
        var queue = [world(restart, maxRestarts: 1, instance: instance)]
        var tried = 0
        while let world = queue.popLast() {
            await Task.yield()
            names.insert(world.machine.state.name)
            for event in events(world) {
                var after = world
                try after.apply(event)
                tried += 1
                guard !after.isForgotten, seen.insert(key(after)).inserted else { continue }
                queue.append(after)
                // From wherever it is, a shutdown ends it.
                try after.endsAfterShutdown()
            }
        }
        print("\(restart), instance \(instance): \(seen.count) states, \(tried) steps")
        let all: Set = ["down", "starting", "running", "closing", "waiting", "failed"]
        #expect(
            names
                == (instance == 1
                    ? ["down", "starting", "running", "closing"]
                    : all.subtracting(
                        restart == .temporary ? ["waiting"] : [])))
    }

    /// Two machines and the queue as the supervisor joins them.
    private struct Pair: Hashable {
        var worlds: [MachineWorld]
        var queue = StartQueue<Int>(limit: 1)

        mutating func apply(_ event: ComponentEvent, to index: Int) throws(MachineWorld.Complaint) {
            var inbox = [(index, event)]
            while !inbox.isEmpty {
                let (index, event) = inbox.removeFirst()
                for action in try worlds[index].apply(event) {
                    let granted: [Int] =
                        switch action {
                        case .requestSlot: queue.request(index)
                        case .releaseSlot: queue.release(index)
                        default: []
                        }
                    inbox += granted.map { ($0, .slotGranted) }
                }
            }
            guard queue.holding == 1 || queue.waiting == 0 else {
                throw MachineWorld.Complaint(description: "somebody waits for a slot that nobody holds")
            }
        }
    }

    @Test func twoComponentsShareASlotAndNeitherIsForgotten() async throws {
        let lone = world(.permanent, maxRestarts: 1)
        var layer: Set = [Pair(worlds: [lone, lone])]
        var seen = layer
        var tried = 0
        let commands: [ComponentEvent] = [.start(by: .user("u")), .stop(by: .user("u"))]
        for _ in 0..<7 {
            var next: Set<Pair> = []
            for pair in layer {
                await Task.yield()
                for index in 0..<2 {
                    let world = pair.worlds[index]
                    let news = [world.fairNews].compactMap { $0 }.filter { $0 != .slotGranted }
                    for event in commands + news {
                        var after = pair
                        try after.apply(event, to: index)
                        tried += 1
                        if seen.insert(after).inserted { next.insert(after) }
                    }
                }
            }
            layer = next
        }
        print("two components: \(seen.count) worlds, \(tried) steps")
        #expect(seen.contains { $0.queue.waiting == 1 })
    }
}
