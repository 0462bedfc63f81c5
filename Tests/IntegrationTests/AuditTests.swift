import Control
import Foundation
import Logging
import TestSupport
import Testing

/// Who changed what: `corehost audit`.
@Suite struct AuditTests {
    private static let id = "fine.test/e.mjs"
    private static let app = SmallApps.app("fine.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])

    private func records(_ supervisor: RunningSupervisor) throws -> [AuditRecord] {
        try supervisor.client().ask(.audit(lines: 1000), as: AuditReply.self, within: .seconds(10)).records
    }

    @Test func eachChangeWithItsCallerOutcomeAndTime() throws {
        let supervisor = try RunningSupervisor(apps: Self.app)
        try supervisor.line("component ready", about: Self.id)
        let command = try RunningProgram("corehost", ["stop", "fine.test", "--socket", supervisor.socket])
        #expect(try command.waitForExit() == 0)
        _ = try supervisor.corehost("ps")
        #expect(try supervisor.corehost("kill", "nobody").code == 3)
        #expect(try supervisor.corehost("start", Self.id).code == 0)
        _ = try supervisor.call("fine.test", "Echo", "echo", ["a secret of the user's"])
        let all = try records(supervisor)
        #expect(all.map(\.verb) == ["stop", "kill", "start", "call"])
        #expect(all.map(\.outcome) == ["done", "failed", "done", "done"])
        #expect(all.map(\.code) == [nil, 3, nil, nil])
        #expect(all[0].arguments == ["id": "fine.test"] && all[0].command == "corehost")
        #expect(all[0].pid == Int(command.pid) && all[0].uid == Int(geteuid()))
        #expect(all[3].arguments == ["app": "fine.test", "service": "Echo", "method": "echo"])
        #expect(all[3].pid == Int(getpid()) && all[3].took > 0)
        #expect(try supervisor.end() == 0)
        #expect(!supervisor.folder.text(of: "data/logs/audit.jsonl").contains("secret"))
    }

    @Test func itIsKeptOverAKillAndBoundedInMemory() throws {
        let supervisor = try RunningSupervisor(apps: Self.app)
        try supervisor.line("component ready", about: Self.id)
        let client = try supervisor.client()
        for _ in 0..<150 {
            _ = try? client.ask(.kill(id: "nobody", signal: .kill), as: ComponentReply.self, within: .seconds(10))
        }
        let before = try records(supervisor)
        #expect(before.count == 150)
        try supervisor.wait(for: "the records on the disk") {
            supervisor.folder.text(of: "data/logs/audit.jsonl").split(separator: "\n").count == 150
        }
        supervisor.program.signal(SIGKILL)
        _ = try supervisor.program.waitForExit()
        // What a crash tears and what others write is no record.
        let path = supervisor.data + "/logs/audit.jsonl"
        try (supervisor.folder.text(of: "data/logs/audit.jsonl") + "not a record\n{\"time\":")
            .write(toFile: path, atomically: false, encoding: .utf8)
        let next = try RunningSupervisor(apps: Self.app, folder: supervisor.folder)
        #expect(try records(next) == before)
        #expect(try next.corehost("audit", "-n", "3").lines.count == 3)
        #expect(try next.end() == 0)
    }

    /// What a client may write into it, a line of a MiB, is cut.
    @Test func longArgumentsAreCut() throws {
        let supervisor = try RunningSupervisor(apps: Self.app)
        let long = String(repeating: "é\u{301}", count: 100_000)
        _ = try? supervisor.client().ask(.stop(id: long), as: ComponentReply.self, within: .seconds(10))
        let record = try #require(try records(supervisor).last)
        #expect(record.arguments["id"]?.unicodeScalars.count == 201 && record.message?.unicodeScalars.count ?? 0 <= 201)
        #expect(try supervisor.end() == 0)
    }
}
