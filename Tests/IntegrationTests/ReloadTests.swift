import Control
import Foundation
import TestSupport
import Testing

/// A configuration that is changed while the platform runs.
@Suite struct ReloadTests {
    private static let id = "echo.test/echo.mjs"

    private func supervisor(_ configuration: String) throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("echo.test", ["echo.mjs": SmallApps.echo], services: ["echo.mjs": ["Echo"]]),
            configuration: configuration)
        try supervisor.line("component ready", about: Self.id)
        return supervisor
    }

    private func write(_ configuration: String, _ supervisor: RunningSupervisor) throws {
        try supervisor.folder.write(configuration, to: "corehost.jsonc")
    }

    private func rule(_ keys: String) -> String { "{\"components\": {\"*\": {\(keys)}}}" }

    @Test func whatChangedAppliesAndNothingElseIsTouched() throws {
        let supervisor = try supervisor(rule(#""memory": {"soft": "64MiB", "hard": "128MiB"}"#))
        let before = try supervisor.row(Self.id)
        try write(rule(#""memory": {"soft": "32MiB", "hard": "64MiB"}, "stopGrace": "1s""#), supervisor)
        let reply = try supervisor.client().ask(.reload, as: ReloadReply.self, within: .seconds(10))
        let seen = Dictionary(uniqueKeysWithValues: reply.changes.map { ($0.key, "\($0.to) \($0.applies)") })
        #expect(
            seen == ["memory.soft": "32MiB now", "memory.hard": "64MiB next-start", "stopGrace": "1s now"], "\(reply)")
        #expect(reply.changes.allSatisfy { $0.component == Self.id })
        let after = try supervisor.row(Self.id)
        #expect(after.pid == before.pid && after.generation == before.generation)
        #expect(try supervisor.inspect(Self.id).memory?.soft == 32 << 20)
        #expect(try supervisor.inspect(Self.id).memory?.hard == 128 << 20)
        #expect(try supervisor.corehost("restart", Self.id).code == 0)
        #expect(try supervisor.inspect(Self.id).memory?.hard == 64 << 20)
        let again = try supervisor.corehost("reload")
        #expect(again.code == 0 && again.lines.last?.hasSuffix("nothing has changed") == true, "\(again)")
        #expect(try supervisor.end() == 0)
    }

    @Test func aWrongOneChangesNothingAndSaysWhere() throws {
        let supervisor = try supervisor(rule(#""stopGrace": "2s""#))
        try write("{\n  \"components\": {\"*\": {\"stopGrace\": 2}}}", supervisor)
        let reload = try supervisor.corehost("reload")
        #expect(reload.code == 12)
        #expect(reload.lines.joined().contains("corehost.jsonc:2:37: components.\"*\".stopGrace: is 2"), "\(reload)")
        try supervisor.line("configuration refused; the one before stays")
        let error = #expect(throws: ControlError.self) {
            try supervisor.client().ask(.reload, as: ReloadReply.self, within: .seconds(10))
        }
        #expect(error?.data["line"]?.int == 2 && error?.data["column"]?.int == 37)
        try write(rule(#""stopGrace": "2s""#), supervisor)
        #expect(try supervisor.corehost("reload").lines.joined().contains("nothing has changed"))
        try write(rule(#""memory": {"hard": "1MiB"}"#), supervisor)
        #expect(try supervisor.corehost("reload").lines.joined().contains("16MiB, which is the least"))
        #expect(try supervisor.end() == 0)
    }

    @Test func sighupReloads() throws {
        let supervisor = try supervisor(rule(#""stopGrace": "2s""#))
        try write(rule(#""stopGrace": "3s""#), supervisor)
        supervisor.program.signal(SIGHUP)
        let line = try supervisor.line("configuration reloaded")
        try supervisor.line("setting changed", about: Self.id, from: line.number)
        try write("{", supervisor)
        supervisor.program.signal(SIGHUP)
        try supervisor.line("configuration refused; the one before stays", from: line.number)
        #expect(try supervisor.call("echo.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func newHeartbeatLimitsHoldForTheProcessThatRuns() throws {
        let supervisor = try supervisor("{}")
        try write(
            rule(#""heartbeat": {"interval": "100ms", "soft": "300ms", "hard": "900ms"}"#), supervisor)
        #expect(try supervisor.corehost("reload").code == 0)
        _ = Background { _ = try? supervisor.call("echo.test", "Echo", "spin", ["ever"]) }
        let ended = try supervisor.line("component ended", about: Self.id, within: .seconds(20))
        #expect(ended.text.contains("tight-loop"), "\(ended.text)")
        #expect(try supervisor.end() == 0)
    }

    /// With a terminal of its own, which then goes away.
    @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0)) func aLostTerminalIsAnOrderlyEnd() throws {
        let folder = try TemporaryFolder()
        let (data, socket) = (folder.path + "/data", folder.path + "/s")
        let command =
            "exec \(RunningProgram.folder)/corehost run --local --data \(data) --socket \(socket) --resources "
            + RunningSupervisor.resources
        let terminal = try RunningProgram("/usr/bin/script", ["-qc", command, "/dev/null"])
        try terminal.line { $0.contains("platform running") }
        let lock = try String(contentsOfFile: data + "/supervisor.lock", encoding: .utf8)
        let pid = try #require(lock.split(whereSeparator: \.isWhitespace).first.flatMap { Int32($0) })
        kill(pid, SIGHUP)
        try terminal.line { $0.contains("configuration reloaded") }
        terminal.signal(SIGKILL)
        let limit = ContinuousClock.now + .seconds(30)
        while access(data + "/supervisor.lock", F_OK) == 0, ContinuousClock.now < limit { usleep(20_000) }
        #expect(access(data + "/supervisor.lock", F_OK) != 0)
        let logs = try FileManager.default.contentsOfDirectory(atPath: data + "/logs").filter {
            $0.hasPrefix("supervisor")
        }
        let text = try logs.map { try String(contentsOfFile: data + "/logs/" + $0, encoding: .utf8) }.joined()
        #expect(text.contains("the terminal is gone") && text.contains("supervisor ends"), "\(logs)")
    }
}
