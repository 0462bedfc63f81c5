import Control
import Foundation
import TestSupport
import Testing

/// One app of many components, started and killed together.
@Suite struct StormTests {
    private static let domain = "many.test"
    private static let entries = (0..<100).map { "c\($0).mjs" }

    @Test func hundredComponentsStartAnswerComeBackFromOneBlowAndStop() throws {
        let code = Dictionary(uniqueKeysWithValues: Self.entries.map { ($0, Self.code(service: "S-\($0)")) })
        let services = Dictionary(uniqueKeysWithValues: Self.entries.map { ($0, ["S-\($0)"]) })
        let apps = SmallApps.app(Self.domain, code, services: services, caps: "{}")
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(apps: apps, resources: probe.path)
        let ids = Self.entries.map { "\(Self.domain)/\($0)" }
        for id in ids { try supervisor.line("component ready", about: id, within: .seconds(120)) }
        try Self.checkAnswers(supervisor)
        let tables = try supervisor.coreTables()
        #expect(
            tables == [
                "connectors": 100, "listeners": 100, "waiting": 0, "connections": 0, "waitingCommands": 0,
                "notifications": 0, "connectivityObservers": 0,
            ])
        let before = try supervisor.ps()
        let descriptors = try supervisor.settledDescriptors()

        let from = supervisor.program.lines.count
        for row in before { kill(pid_t(try #require(row.pid)), SIGKILL) }
        for id in ids { try supervisor.line("component ready", about: id, from: from, within: .seconds(120)) }
        let after = try supervisor.ps()
        #expect(after.allSatisfy { $0.state == "running" && $0.restarts == 1 && $0.generation == 2 })
        #expect(Set(after.compactMap(\.connector)).isDisjoint(with: before.compactMap(\.connector)))
        let children = try supervisor.componentProcesses()
        #expect(Set(after.compactMap(\.pid)) == Set(children.map(Int.init)))
        try Self.checkAnswers(supervisor)
        #expect(try supervisor.coreTables() == tables)
        #expect(try supervisor.childrenByState()["Z"] == nil)
        #expect(try supervisor.settledDescriptors() == descriptors)
        Self.checkSlots(supervisor.program.lines)

        let end = supervisor.program.lines.count
        #expect(try supervisor.end() == 0)
        let last = supervisor.program.lines[end...]
        #expect(last.count { $0.contains("] component ended") && $0.contains("cause: shutdown") } == 100)
        #expect(last.count { $0.contains("] component exited") && $0.contains("cause: exit code 0") } == 100)
    }

    private static func code(service: String) -> String {
        "w3nRPC.serve('\(service)', { who: async () => '\(service)' });"
    }

    private static func checkAnswers(_ supervisor: RunningSupervisor) throws {
        for entry in entries {
            let answer = try supervisor.call(domain, "S-\(entry)", "who")
            #expect(answer == .string("S-\(entry)"))
        }
    }

    /// Never more processes on their way to ready than there are start slots; never two of one component.
    private static func checkSlots(_ lines: [String]) {
        var starting: Set<Substring> = []
        var alive: Set<Substring> = []
        var most = 0
        for line in lines {
            guard let range = line.range(of: "component: many.test/c") else { continue }
            let id = line[range.upperBound...].prefix { $0.isNumber }
            if line.contains("] component spawned") {
                #expect(alive.insert(id).inserted, "two processes of c\(id)")
                starting.insert(id)
            } else if line.contains("] component ready") {
                starting.remove(id)
            } else if line.contains("] component exited") {
                starting.remove(id)
                alive.remove(id)
            }
            most = max(most, starting.count)
        }
        let limit = 2 * ProcessInfo.processInfo.activeProcessorCount
        #expect(most <= limit && most > 0)
    }
}
