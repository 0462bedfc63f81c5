import Control
import Foundation
import TestSupport
import Testing

/// Commands, kills and calls at random, from several clients at once.
@Suite struct ChaosTests {
    private static let domains = (0..<5).map { "c\($0).test" }
    private static func id(_ domain: String) -> String { "\(domain)/e.mjs" }

    @Test func afterAnyStormEachComponentIsWhatIsWantedAndOneProcess() throws {
        let seed = SeededRandom.seed(for: "storm of commands")
        let apps = Self.domains.reduce(into: [String: String]()) { all, domain in
            all.merge(SmallApps.app(domain, ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])) { one, _ in one }
        }
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(
            apps: apps,
            configuration: #"""
                {"components": {
                    "*": {"maxRestarts": 10000, "stopGrace": "300ms", "backoff": {"first": "1ms", "max": "5ms"}},
                    "c1.test": {"restart": "transient"}, "c2.test": {"restart": "temporary"}}}
                """#, resources: probe.path)
        for domain in Self.domains { try supervisor.line("component ready", about: Self.id(domain)) }
        let descriptors = try supervisor.settledDescriptors()
        let end = ContinuousClock.now + .seconds(10)
        let clients = (0..<4).map { number in
            Background {
                var random = SeededRandom(seed: seed &+ UInt64(number))
                var steps = 0
                while ContinuousClock.now < end {
                    try Self.step(supervisor, &random)
                    steps += 1
                }
                return steps
            }
        }
        let steps = try clients.map { try $0.value(within: 120) }
        print("storm of commands: \(steps.reduce(0, +)) steps")
        var random = SeededRandom(seed: seed &+ 99)
        let wanted = Self.domains.map { ($0, Bool.random(using: &random)) }
        for (domain, up) in wanted {
            let row = try supervisor.ask(up ? .start(id: Self.id(domain)) : .stop(id: Self.id(domain)))
            #expect(row.state == (up ? "running" : "down"))
        }
        try Self.checkProcesses(supervisor, up: wanted.count { $0.1 })
        for domain in Self.domains {
            _ = try supervisor.ask(.start(id: Self.id(domain)))
            #expect(try supervisor.call(domain, "Echo", "echo", [.string(domain)]) == .string(domain))
        }
        try Self.checkProcesses(supervisor, up: 5)
        let tables = try supervisor.coreTables()
        #expect(tables["connectors"] == 5 && tables["listeners"] == 5 && tables["waiting"] == 0, "\(tables)")
        #expect(tables["connections"] == 0, "\(tables)")
        #expect(try supervisor.settledDescriptors() == descriptors)
        #expect(try supervisor.end() == 0)
    }

    private static func checkProcesses(_ supervisor: RunningSupervisor, up: Int) throws {
        let pids = try supervisor.ps().compactMap(\.pid).map(Int32.init).sorted()
        #expect(pids.count == up)
        #expect(try supervisor.componentProcesses().sorted() == pids)
        #expect(try supervisor.childrenByState()["Z"] == nil)
    }

    private static func step(_ supervisor: RunningSupervisor, _ random: inout SeededRandom) throws {
        guard let domain = domains.randomElement(using: &random) else { return }
        let id = id(domain)
        do {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: _ = try supervisor.ask(.stop(id: id))
            case 1, 2: _ = try supervisor.ask(.start(id: id))
            case 3: _ = try supervisor.ask(.restart(id: id))
            case 4: _ = try supervisor.ask(.kill(id: id, signal: .kill))
            case 5: if let pid = try supervisor.row(id).pid { kill(pid_t(pid), SIGKILL) }
            case 6: if let pid = try supervisor.row(id).pid { kill(pid_t(pid), SIGTERM) }
            case 7: _ = try supervisor.call(domain, "Echo", "close")
            case 8: _ = try supervisor.call(domain, "Echo", "throwLater")
            default: #expect(try supervisor.call(domain, "Echo", "echo", [.string(id)]) == .string(id))
            }
        } catch let error as ControlError where [.failed, .refused, .callRejected].contains(error.exitCode) {
            // What another client does in the same moment may win.
        }
    }
}
