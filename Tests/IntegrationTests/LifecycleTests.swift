import Control
import EventLoop
import Foundation
import TestSupport
import Testing

private let domain = "echo.test"
private let entry = "echo.mjs"
private let id = "echo.test/echo.mjs"

private func echoApp() -> [String: String] {
    SmallApps.app(domain, [entry: SmallApps.echo], services: [entry: ["Echo"]])
}

@Suite struct LifecycleTests {
    @Test func theThreeBundledAppsRunAndCtrlCEndsAllInOrder() throws {
        let supervisor = try RunningSupervisor()
        let ids = [
            "contacts.app.privacysafe.io/contactDenoServices.js", "chat.app.privacysafe.io/background-instance.mjs",
            "treasure.app.privacysafe.io/treasureDenoServices.js",
        ]
        for id in ids { try supervisor.line("component ready", about: id) }
        let rows = try supervisor.ps()
        #expect(Set(rows.map(\.id)) == Set(ids))
        #expect(
            rows.allSatisfy { $0.state == "running" && $0.wanted == "up" && $0.restarts == 0 && $0.generation == 1 })
        #expect(rows.allSatisfy { ($0.memory ?? 0) > 1 << 20 && ($0.uptime ?? -1) >= 0 && $0.connector != nil })
        #expect(try supervisor.end(signal: SIGINT) == 0)
    }

    @Test func aKilledChildComesBackWithANewConnectorAfterTheCoreWasTold() throws {
        let supervisor = try RunningSupervisor(apps: echoApp())
        try supervisor.line("component ready", about: id)
        let before = try supervisor.row(id)
        #expect(try supervisor.call(domain, "Echo", "echo", ["hello"]) == "hello")
        kill(pid_t(try #require(before.pid)), SIGKILL)
        let exited = try supervisor.line("component exited", about: id)
        // The core may see the pipe's end before the exit is seen.
        let told = try supervisor.line("core told", about: id)
        let ready = try supervisor.line("component ready", about: id, from: max(exited.number, told.number))
        #expect(exited.text.contains("cause: signal 9"))
        #expect(told.text.contains(try #require(before.connector)))
        #expect(!ready.text.contains(try #require(before.connector)))
        let after = try supervisor.row(id)
        #expect(after.generation == 2)
        #expect(after.restarts == 1)
        #expect(try supervisor.call(domain, "Echo", "echo", [[1, 2]]) == [1, 2])
        #expect(try supervisor.end() == 0)
    }

    @Test func aPendingCallOfAKilledComponentIsRejectedAtOnce() throws {
        let supervisor = try RunningSupervisor(apps: echoApp())
        try supervisor.line("component ready", about: id)
        let pid = pid_t(try #require(try supervisor.row(id).pid))
        let client = try supervisor.client()
        let program = supervisor.program
        let killer = try EventLoop.Thread {
            // The test's own call fails for another reason if this line does not come.
            _ = try? program.line { $0.contains("never is under way") }
            kill(pid, SIGKILL)
        }
        let error = try #require(throws: ControlError.self) {
            try client.ask(
                .call(app: domain, service: "Echo", method: "never", arguments: []), as: CallReply.self,
                within: .seconds(20))
        }
        killer.join()
        #expect(error.exitCode == .callRejected)
        #expect(error.data["exception"]?["connectionClosed"] == true)
        #expect(try supervisor.end() == 0)
    }

    @Test func stopKeepsItDownStartBringsItBackAndBothAreTrueWhenTheyReturn() throws {
        let supervisor = try RunningSupervisor(apps: echoApp())
        try supervisor.line("component ready", about: id)
        let client = try supervisor.client()
        var row = try client.ask(.stop(id: id), as: ComponentReply.self, within: .seconds(20)).component
        #expect(row.state == "down" && row.wanted == "down" && row.pid == nil)
        row = try client.ask(.stop(id: id), as: ComponentReply.self, within: .seconds(20)).component
        #expect(row.state == "down")
        let refused = try #require(throws: ControlError.self) {
            try supervisor.call(domain, "Echo", "echo", [1])
        }
        #expect(refused.exitCode == .callRejected)
        row = try client.ask(.start(id: id), as: ComponentReply.self, within: .seconds(20)).component
        #expect(row.state == "running" && row.generation == 2)
        row = try client.ask(.restart(id: id), as: ComponentReply.self, within: .seconds(20)).component
        #expect(row.state == "running" && row.generation == 3 && row.restarts == 0)
        #expect(try supervisor.end() == 0)
    }

    @Test(arguments: [
        ("close", "closed-itself"), ("throwLater", "uncaught-error"), ("rejectLater", "unhandled-rejection"),
    ])
    func everyEndHasItsCause(method: String, cause: String) throws {
        let supervisor = try RunningSupervisor(apps: echoApp())
        try supervisor.line("component ready", about: id)
        // The answer and the end race; either way the end is seen.
        _ = try? supervisor.call(domain, "Echo", method)
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains("cause: \(cause)"), "\(ended.text)")
        try supervisor.line("component ready", about: id, from: ended.number)
        #expect(try supervisor.end() == 0)
    }

    @Test func aCrashLoopIsQuarantinedAndOthersGoOn() throws {
        let apps = echoApp().merging(
            SmallApps.app("bad.test", ["bad.mjs": "throw new Error('broken from the start');"])
        ) { first, _ in first }
        let supervisor = try RunningSupervisor(
            apps: apps,
            configuration: #"""
                {"components": {"bad.test": {"maxRestarts": 3, "backoff": {"first": "10ms", "max": "20ms"}}}}
                """#)
        let line = try supervisor.line("component quarantined", about: "bad.test/bad.mjs")
        #expect(line.text.contains("restarts: 3"))
        let row = try supervisor.row("bad.test/bad.mjs")
        #expect(row.state == "failed" && row.restarts == 3 && row.generation == 4)
        #expect(try supervisor.call(domain, "Echo", "echo", [5]) == 5)
        #expect(try supervisor.end() == 0)
    }

    @Test func theSupervisorsDeathIsItsChildrens() throws {
        let supervisor = try RunningSupervisor(apps: echoApp())
        try supervisor.line("component ready", about: id)
        let pid = pid_t(try #require(try supervisor.row(id).pid))
        let pidfd = try PidDescriptor(pid)
        #expect(try supervisor.call(domain, "Echo", "echo", [1]) == 1)
        supervisor.program.signal(SIGKILL)
        #expect(try supervisor.program.waitForExit() == -SIGKILL)
        #expect(pidfd.waitForExit(within: .seconds(1)))
        // And the next one starts from what is left.
        let next = try RunningSupervisor(apps: echoApp(), folder: supervisor.folder)
        try next.line("component ready", about: id)
        #expect(try next.end() == 0)
    }
}
