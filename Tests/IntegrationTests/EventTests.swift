import Control
import Foundation
import TestSupport
import Testing

private let id = "watched.test/a.mjs"

@Suite struct EventTests {
    private func supervisor(restart: String = "permanent") throws -> RunningSupervisor {
        try RunningSupervisor(
            apps: SmallApps.app(
                "watched.test", ["a.mjs": "w3nRPC.serve('Echo', {say: async text => text});"],
                services: ["a.mjs": ["Echo"]]),
            configuration: #"{"components": {"*": {"restart": "\#(restart)"}}}"#)
    }

    @Test func aLifeIsToldInOrder() throws {
        let supervisor = try supervisor()
        try supervisor.line("component ready", about: id)
        let follower = try RunningProgram(
            "corehost", ["events", "-f", "--since", "0", "--json", "--socket", supervisor.socket])
        func event(_ kind: String, _ more: String = "") throws -> EventEntry {
            let line = try follower.line { $0.contains("\"kind\":\"\(kind)\"") && (more.isEmpty || $0.contains(more)) }
            return try EventEntry(json: JSONParser.parse(line.text))
        }
        #expect(try event("supervisor-started").number == 1)
        #expect(try event("login", "\"logged-in\"").fields["state"] == "logged-in")
        let pid = try #require(try event("component-state", "\"to\":\"running\"").fields["pid"])
        #expect(try supervisor.corehost("kill", id).code == 0)
        let command = try event("command", "\"command\":\"kill\"")
        #expect(command.fields["id"] == id && command.fields["outcome"] == "done")
        let death = try event("component-died")
        #expect(death.component == id && death.generation == 1 && death.fields["cause"] == "killed")
        #expect(death.fields["exit"]?.contains("SIGKILL") == true, "\(death)")
        #expect(try event("component-restarts").fields["restarts"] == "1")
        let second = try event("component-state", "\"generation\":2,\"fields\":{\"from\":\"starting\"")
        #expect(second.fields["to"] == "running" && second.fields["pid"] != pid)
        #expect(try supervisor.end() == 0)
        _ = try follower.waitForExit()
        let numbers = try follower.lines.filter { $0.hasPrefix("{") }.map {
            try EventEntry(json: JSONParser.parse($0)).number
        }
        #expect(numbers == Array(1...UInt64(numbers.count)))
        #expect(try event("supervisor-closes").component == nil)
    }

    @Test func eventsOfOneComponentAndOfALaterTime() throws {
        let supervisor = try supervisor(restart: "temporary")
        try supervisor.line("component ready", about: id)
        let all = try supervisor.corehost("events")
        #expect(all.code == 0 && all.lines.contains { $0.contains(" #1 supervisor-started | data: ") })
        let ofOne = try supervisor.corehost("events", "--component", "watched.test").lines
        #expect(!ofOne.isEmpty && ofOne.allSatisfy { $0.contains(" component-state \(id) g1 | from: ") }, "\(ofOne)")
        #expect(try supervisor.corehost("events", "--since", "2100-01-01").lines == [])
        #expect(try supervisor.corehost("events", "--since", "1h").lines.count >= all.lines.count)
        let unknown = try supervisor.corehost("events", "--component", "nobody")
        #expect(unknown.code == 3)
        let wrong = try supervisor.corehost("events", "--since", "yesterday")
        #expect(wrong.code == 2)
        #expect(try supervisor.end() == 0)
    }
}
