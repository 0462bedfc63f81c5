import Control
import Foundation
import TestSupport
import Testing

private let id = "look.test/a.mjs"

@Suite struct InspectTests {
    private func start(_ configuration: String? = nil) throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("look.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]]),
            configuration: configuration)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    @Test func showsRulesEngineAndPortsOfARunningComponent() throws {
        let supervisor = try start("{\"components\":\n {\"look.test\": {\"stopGrace\": \"3s\"}}}")
        for number in 1...10 as ClosedRange<Int64> {
            #expect(try supervisor.call("look.test", "Echo", "echo", [.int(number)]) == .int(number))
        }
        let details = try supervisor.inspect(id).details
        #expect(
            details.spec.first { $0.key == "stopGrace" }
                == InspectDetails.Setting(
                    key: "stopGrace", value: "3s", from: "components.\"look.test\"",
                    file: supervisor.folder.path + "/corehost.jsonc", line: 2))
        let restart = details.spec.first { $0.key == "restart" }
        #expect(restart?.from == "default" && restart?.file == nil && restart?.line == nil)
        let engine = try #require(details.engine)
        #expect(engine.lag.map { $0 > 0 && $0 < 0.2 } == true && engine.silentFor == nil)
        // The service that it serves is a call that stays open.
        #expect(engine.openCalls.map { $0 >= 1 } == true)
        let port = try #require(details.ports.first)
        #expect(details.ports.count == 1 && port.state == "open" && port.generation == 1)
        #expect(port.framesIn >= 10 && port.framesOut >= 10 && port.queued == 0 && port.dropped == 0)
        #expect(port.bytesIn > 16 * port.framesIn && port.bytesOut > 16 * port.framesOut)
        let row = try supervisor.row(id)
        #expect(row.lag != nil && row.calls == engine.openCalls && row.in == port.framesIn)
        #expect(row.heap.map { $0 > 10_000 && $0 < row.memory ?? 0 } == true, "\(row)")
        let lines = try supervisor.corehost("inspect", id).lines
        #expect(lines.contains { $0.hasPrefix("  g1 connector \(port.connector), open: in ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  stopGrace ") && $0.hasSuffix("/corehost.jsonc:2)") })
        #expect(try supervisor.end() == 0)
    }

    @Test func keepsTheAccountsOfLivesThatAreOver() throws {
        let supervisor = try start()
        #expect(try supervisor.corehost("kill", id).code == 0)
        let exited = try supervisor.line("component exited", about: id)
        try supervisor.line("component ready", about: id, from: exited.number)
        let details = try supervisor.inspect(id).details
        #expect(details.history.map(\.cause) == ["killed"] && details.history.map(\.generation) == [1])
        #expect(details.ports.map(\.generation) == [2, 1] && details.ports.map(\.state) == ["open", "died"])
        let old = details.ports[1]
        #expect(old.framesIn > 0 && old.thrownAway == 0 && old.partialFrame == 0)
        #expect(try supervisor.end() == 0)
    }

    /// What waited for a component that did not read is told while it lives and after its death.
    @Test func tellsWhatWaitsAndWhatIsThrownAway() throws {
        let feeder = """
            const echo = w3nRPC.connect(w3n.rpc.otherAppsRPC('look.test', 'Echo'));
            await echo.call('echo', 'connected');
            console.log('feeder is connected');
            w3nRPC.serve('Feed', { feed: async () => {
                for (let i = 0; i < 4; i += 1) { echo.call('echo', 'x'.repeat(900000)).catch(() => {}); }
            } });
            """
        let supervisor = try RunningSupervisor(
            apps: SmallApps.together(
                SmallApps.app("look.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]]),
                SmallApps.app(
                    "feed.test", ["f.mjs": feeder], services: ["f.mjs": ["Feed"]],
                    caps: #"{"otherAppsRPC": [{"app": "look.test", "service": "Echo"}]}"#)))
        // Ready comes with the first wait, before that.
        try supervisor.corehostLogs("feed.test/f.mjs", contain: "feeder is connected")
        let pid = try #require(try supervisor.row(id).pid).asPid
        kill(pid, SIGSTOP)
        _ = try supervisor.call("feed.test", "Feed", "feed")
        var port: PortLedger?
        let limit = ContinuousClock.now + .seconds(20)
        while port.map({ $0.queued > 500_000 }) != true, ContinuousClock.now < limit {
            let details = try supervisor.inspect(id).details
            port = details.ports.first
            #expect(details.engine?.lag == nil || details.engine?.silentFor != nil)
        }
        let waiting = try #require(port)
        #expect(waiting.queued > 500_000 && waiting.mostQueued >= waiting.queued, "\(waiting)")
        #expect(waiting.blocked > 0 && waiting.blocked < 60)
        let found = try supervisor.corehost("doctor")
        #expect(found.code == 8)
        #expect(found.lines.contains { $0.contains("\(id): believed: process \(pid) runs; found: it is stopped") })
        kill(pid, SIGKILL)
        let exited = try supervisor.line("component exited", about: id)
        try supervisor.line("component ready", about: id, from: exited.number)
        let old = try #require(try supervisor.inspect(id).details.ports.first { $0.generation == 1 })
        #expect(old.state == "died" && old.queued == 0)
        #expect(old.thrownAway.map { $0 > 500_000 } == true && old.unknown.map { $0 > 0 } == true, "\(old)")
        #expect(try supervisor.end() == 0)
    }

    @Test func aComponentThatComputesIsShownAtOnce() throws {
        let supervisor = try start()
        let caller = try RunningProgram(
            "corehost", ["call", "look.test", "Echo", "spin", "\"x\"", "--socket", supervisor.socket])
        try supervisor.corehostLogs(id, contain: "spins for x")
        let started = ContinuousClock.now
        let engine = try supervisor.inspect(id).details.engine
        #expect(engine?.silentFor != nil)
        #expect(ContinuousClock.now - started < .seconds(3))
        #expect(try supervisor.end() == 0)
        _ = try caller.waitForExit()
    }

    @Test func psAsATreeAndAgainAndAgain() throws {
        let supervisor = try start()
        _ = try supervisor.inspect(id)
        let tree = try supervisor.corehost("ps", "--tree")
        let pid = try #require(try supervisor.row(id).pid)
        #expect(tree.lines.first?.hasPrefix("corehost, process \(supervisor.program.pid), up ") == true)
        #expect(tree.lines.dropFirst().first == "├─ core, thread")
        #expect(tree.lines.dropFirst(2).first?.hasPrefix("├─ zygote, process ") == true)
        #expect(tree.lines.count == 4)
        #expect(tree.lines.last?.hasPrefix("└─ \(id), process \(pid), running, g1, ") == true, "\(tree.lines)")
        let titles = try supervisor.corehost("ps").lines.first ?? ""
        #expect(titles.hasSuffix("  LAG  CALLS") && titles.contains("  HEAP  "), "\(titles)")
        let watch = try RunningProgram("corehost", ["ps", "--watch", "0.1", "--socket", supervisor.socket])
        var from = 0
        for _ in 1...3 { from = 1 + (try watch.line(from: from) { $0.hasPrefix("ID ") }.number) }
        #expect(!watch.lines.contains { $0.contains("\u{1B}") })
        #expect(try supervisor.end() == 0)
        // Its connection ended with the supervisor.
        #expect([1, 4].contains(try watch.waitForExit()))
        #expect(try supervisor.corehost("ps", "--watch", "0").code == 2)
    }
}

extension Int {
    fileprivate var asPid: pid_t { pid_t(self) }
}

extension RunningSupervisor {
    /// Waits until a line of a component has come.
    func corehostLogs(_ id: String, contain text: String) throws {
        let follower = try RunningProgram("corehost", ["logs", id, "-f"], environment: ["COREHOST_SOCKET": socket])
        try follower.line { $0.contains(text) }
    }
}
