import Control
import Foundation
import Glibc
import TestSupport
import Testing

/// Deaths as fast as they can come, and a reader of events that does not read.
@Suite struct DeathStormTests {
    private static let entries = (0..<20).map { "c\($0).mjs" }
    private static let each = 51

    @Test func aThousandDeathsAreEachSeenKeptAndBounded() throws {
        let folder = try TemporaryFolder()
        let copy = try InstalledCopy(in: folder)
        let code = Dictionary(uniqueKeysWithValues: Self.entries.map { ($0, "console.log('here');") })
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("storm.test", code, startup: []),
            configuration: #"""
                {"components": {"*": {"restart": "permanent", "maxRestarts": 50,
                    "backoff": {"first": "1ms", "factor": 1, "max": "1ms", "jitter": 0}}}}
                """#, folder: folder, program: copy.corehost)
        let reader = try RunningProgram(
            "corehost", ["events", "-f"], environment: ["COREHOST_SOCKET": supervisor.socket])
        try supervisor.program.line { _ in true }
        reader.pauseReading()
        // Without its program every start ends at once.
        unlink(copy.component)
        let clock = ContinuousClock()
        let began = clock.now
        let starts = Self.entries.map { entry in
            Background { _ = try? supervisor.ask(.start(id: "storm.test/\(entry)")) }
        }
        var slowest = Duration.zero
        for entry in Self.entries {
            let asked = clock.now
            _ = try supervisor.ps()
            slowest = max(slowest, clock.now - asked)
            try supervisor.line("component quarantined", about: "storm.test/\(entry)", within: .seconds(120))
        }
        let took = clock.now - began
        for start in starts { try start.value() }
        let total = Self.entries.count * Self.each
        print("\(total) deaths in \(took), slowest answer \(slowest)")
        #expect(slowest < .seconds(5))
        #expect(supervisor.program.lines.count { $0.contains("] component ended") } == total)
        var kept = 0
        var lost = 0
        for entry in Self.entries {
            let reply = try supervisor.client().ask(
                .deaths(id: "storm.test/\(entry)", number: nil), as: DeathsReply.self, within: .seconds(30))
            #expect(reply.deaths.allSatisfy { $0.cause == "spawn-failed" && $0.certainty == "proved" })
            let numbers = reply.deaths.map(\.number)
            #expect(numbers == Array((numbers.last ?? 0)...(numbers.first ?? 0)).reversed())
            kept += numbers.count
            lost = reply.lost
        }
        // What was too fast for the disk is counted.
        #expect(kept + lost == total, "\(kept) kept, \(lost) lost")
        #expect(try supervisor.ps().allSatisfy { $0.state == "failed" && $0.restarts == 50 && $0.generation == 51 })
        #expect(try supervisor.componentProcesses().isEmpty)
        reader.signal(SIGKILL)
        #expect(try supervisor.end() == 0)
    }
}
