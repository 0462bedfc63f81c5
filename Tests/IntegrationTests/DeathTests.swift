import Control
import Foundation
import Glibc
import TestSupport
import Testing

private let id = "echo.test/echo.mjs"

/// What is kept of ends of lives, and what `why` says, as a user meets them.
@Suite struct DeathTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start() throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("echo.test", ["echo.mjs": SmallApps.echo], services: ["echo.mjs": ["Echo"]]),
            configuration: #"{"components": {"*": {"backoff": {"first": "10ms", "max": "10ms"}}}}"#, folder: folder)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    private func deaths(_ supervisor: RunningSupervisor) throws -> DeathsReply {
        try supervisor.client().ask(.deaths(id: "echo", number: nil), as: DeathsReply.self, within: .seconds(10))
    }

    private func last(_ supervisor: RunningSupervisor) throws -> JSONValue {
        try supervisor.client().ask(.deaths(id: id, number: 0), as: DeathReply.self, within: .seconds(10)).death
    }

    @Test func aDeathIsKeptWithItsFramesLinesAndDecisionOverRuns() throws {
        var supervisor = try start()
        #expect(try supervisor.call("echo.test", "Echo", "echo", ["hello"]) == "hello")
        #expect(try supervisor.corehost("deaths", "echo").lines == ["\(id): no end of a life is kept"])
        _ = try supervisor.inspect(id)  // Asks for a turn, which is a sign of life.
        kill(try supervisor.pid(id), SIGTERM)
        let ended = try supervisor.line("component ended", about: id)
        try supervisor.line("component ready", about: id, from: ended.number)

        let death = try last(supervisor)
        #expect(death["schema"] == "corehost.death/1" && death["number"] == 1 && death["generation"] == 1)
        #expect(death["cause"] == "signalled" && death["certainty"] == "told")
        let evidence = try #require(death["evidence"])
        #expect(evidence["signal"] == "SIGTERM" && evidence["exitCode"] == .null && evidence["signalsSent"] == [])
        #expect(evidence["signalFrom"]?["from"] == "process")
        #expect(
            evidence["signalFrom"]?["pid"] == JSONValue(getpid())
                && evidence["signalFrom"]?["uid"] == JSONValue(getuid()))
        #expect(evidence["portEnd"] == "its end was closed" && evidence["readyFor"]?.double ?? 0 > 0)
        let decision = try #require(death["decision"])
        #expect(decision["next"] == "restart" && decision["restartsInPeriod"] == 1 && decision["maxRestarts"] == 10)
        #expect(decision["delay"]?.double ?? 1 <= 0.011)
        let frames = try #require(death["port"]?["last"]?.array)
        #expect(Set(frames.compactMap { $0["direction"]?.string }) == ["in", "out"])
        #expect(
            frames.allSatisfy { $0["generation"] == 1 && ($0["age"]?.double ?? -1) >= 0 && $0["kind"]?.string != nil })
        #expect(
            frames.filter { $0["direction"] == "in" }.last?["sequence"]?.int
                == (death["port"]?["framesIn"]?.int).map { $0 - 1 })
        let lines = try #require(death["log"]?.array)
        #expect(lines.contains { $0.string?.contains("echo serves") == true })
        let sample = try #require(death["samples"]?.array?.last)
        #expect(sample["memory"]?.int ?? 0 > sample["heap"]?.int ?? .max && sample["heap"]?.int ?? 0 > 0, "\(sample)")

        // A command, and its requester.
        _ = try supervisor.corehost("kill", "echo", "--signal", "KILL")
        let killed = try supervisor.line("component ended", about: id, from: ended.number + 1)
        try supervisor.line("component ready", about: id, from: killed.number)
        let second = try last(supervisor)
        #expect(second["number"] == 2 && second["evidence"]?["command"] == "kill SIGKILL")
        #expect(second["evidence"]?["requester"]?.string?.hasPrefix("the user (process ") == true)
        #expect(try supervisor.end() == 0)

        supervisor = try start()
        let kept = try deaths(supervisor)
        #expect(kept.component == id && kept.lost == 0 && kept.damaged == 0 && kept.problem == nil)
        #expect(kept.deaths.map(\.number) == [3, 2, 1])
        #expect(kept.deaths.map(\.cause) == ["shutdown", "killed", "signalled"])
        let verdicts = try supervisor.inspect(id).details.history
        #expect(verdicts.map(\.cause) == ["shutdown", "killed", "signalled"] && verdicts.last?.signal == "SIGTERM")
        let text = try supervisor.corehost("deaths", "echo", "1").lines
        #expect(text.first?.hasPrefix("\(id): death 1, generation 1, ") == true, "\(text)")
        #expect(text.contains { $0.contains("SIGTERM came from: process \(getpid()), uid \(getuid())") })
        #expect(text.contains { $0.hasPrefix("  decision: restart in ") })
        #expect(text.contains { $0.contains(" resident, heap ") }, "\(text)")
        let none = try supervisor.corehost("deaths", "echo", "9")
        #expect(none.code == 1 && none.lines == ["corehost: \(id): no death has the number 9; kept are 1 to 3"])
        #expect(try supervisor.corehost("deaths", "echo", "zero").code == 2)
        #expect(try supervisor.end() == 0)
    }

    /// What stands in the way of the disk, or is damaged on it, is said; the component comes back all the same.
    @Test func aDiskThatTakesNothingBlocksNobody() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: true)
        try folder.write("no folder", to: "data/deaths")
        let supervisor = try start()
        var from = 0
        for _ in 0..<2 {
            kill(try supervisor.pid(id), SIGKILL)
            from = try supervisor.line("component ended", about: id, from: from).number + 1
            try supervisor.line("component ready", about: id, from: from)
        }
        let kept = try deaths(supervisor)
        #expect(kept.deaths.map(\.number) == [2, 1] && kept.lost == 0)
        #expect(kept.problem?.contains("Not a directory") == true, "\(kept.problem ?? "")")
        try supervisor.program.line { $0.contains("deaths cannot be kept on the disk") }
        unlink(folder.path + "/data/deaths")
        kill(try supervisor.pid(id), SIGKILL)
        try supervisor.program.line { $0.contains("deaths are kept on the disk again") }
        #expect(try supervisor.end() == 0)
        #expect(folder.names(in: "data/deaths") == ["echo.test%2Fecho.mjs.jsonl"])
    }

    @Test func whySaysItInEachState() throws {
        let supervisor = try start()
        func why() throws -> WhyReply {
            try supervisor.client().ask(.why(id: "echo"), as: WhyReply.self, within: .seconds(10))
        }
        let running = try why()
        #expect(running.state == "running" && running.reason == "it runs and is wanted" && running.next == nil)
        #expect(running.commands.map(\.command) == ["stop", "restart", "kill"].map { "corehost \($0) \(id)" })
        _ = try supervisor.ask(.stop(id: id))
        let lines = try supervisor.corehost("why", "echo").lines
        #expect(lines.first == "\(id): it is down because the user stopped it")
        #expect(lines.contains("  next:     nothing, by itself"))
        #expect(lines.last == "  command:  corehost start \(id): starts it now, with a fresh budget of restarts")
        #expect(try supervisor.corehost("why", "nothing").code == 3)
        #expect(try supervisor.end() == 0)
    }
}
