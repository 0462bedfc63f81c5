import Control
import Foundation
import TestSupport
import Testing

/// The platform's end in every situation: exit code 0, and nothing left.
@Suite struct ShutdownTests {
    private static let oneApp = SmallApps.app("e.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])

    private static func manyApps() -> [String: String] {
        let entries = (0..<50).map { "c\($0).mjs" }
        return SmallApps.app(
            "many.test", Dictionary(uniqueKeysWithValues: entries.map { ($0, "console.log('here');") }), caps: "{}")
    }

    /// Waits for the exit and for nothing to be left of the processes that were spawned.
    private static func checkEnd(_ supervisor: RunningSupervisor, within limit: Duration = .seconds(30)) throws {
        let code = try supervisor.program.waitForExit(within: limit)
        #expect(code == 0)
        try supervisor.checkNothingIsLeft(spawned(supervisor))
    }

    private static func spawned(_ supervisor: RunningSupervisor) -> [Int32] {
        supervisor.program.lines.compactMap { line in
            guard line.contains("] component spawned"), let field = line.range(of: "pid: ") else { return nil }
            return Int32(line[field.upperBound...].prefix { $0.isNumber })
        }
    }

    @Test(arguments: [0, 5, 30]) func ctrlCWhileFiftyComponentsStart(ready: Int) throws {
        let supervisor = try RunningSupervisor(apps: Self.manyApps(), waitsForPlatform: false)
        try supervisor.line("component spawned")
        var from = -1
        for _ in 0..<ready { from = try supervisor.line("component ready", from: from + 1).number }
        supervisor.program.signal(SIGINT)
        try Self.checkEnd(supervisor)
    }

    @Test func ctrlCBeforeThePlatformRuns() throws {
        let supervisor = try RunningSupervisor(apps: Self.oneApp, waitsForPlatform: false)
        try supervisor.line("boot step done")
        supervisor.program.signal(SIGINT)
        try Self.checkEnd(supervisor)
    }

    /// While the core reads manifests and opens its data folder, at one moment or another.
    @Test(arguments: 0..<20) func ctrlCWhileTheCoreStarts(moment: UInt32) throws {
        let supervisor = try RunningSupervisor(apps: Self.oneApp, waitsForPlatform: false)
        try supervisor.program.line { $0.contains("step: js/core-load.js") }
        usleep(moment * 1000)
        supervisor.program.signal(SIGINT)
        try Self.checkEnd(supervisor)
    }

    @Test func everyStateEnds() throws {
        let echoes = ["loops", "frozen", "fine"].map { name in
            SmallApps.app("\(name).test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])
        }
        let supervisor = try RunningSupervisor(
            apps: SmallApps.together(
                echoes[0], echoes[1], echoes[2],
                SmallApps.app("waits.test", ["bad.mjs": "throw new Error('broken');"]),
                SmallApps.app("failed.test", ["bad.mjs": "let let;"]),
                SmallApps.app("starting.test", ["loops.mjs": "console.log('never ready'); for (;;);"]),
                SmallApps.app("down.test", ["d.mjs": "0"], startup: [])),
            configuration: #"""
                {"components": {
                    "loops.test": {"stopGrace": "300ms"}, "frozen.test": {"stopGrace": "300ms"},
                    "starting.test": {"stopGrace": "300ms"},
                    "waits.test": {"backoff": {"first": "600s", "max": "600s"}}}}
                """#)
        for entry in ["loops", "frozen", "fine"] {
            try supervisor.line("component ready", about: "\(entry).test/e.mjs")
        }
        try supervisor.line("component waits", about: "waits.test")
        try supervisor.line("component failed", about: "failed.test")
        try supervisor.console("never ready", of: "starting.test/loops.mjs")
        kill(try supervisor.pid("frozen.test/e.mjs"), SIGSTOP)
        let spin = Background { try supervisor.call("loops.test", "Echo", "spin", ["ever"]) }
        try supervisor.console("spins for ever", of: "loops.test/e.mjs")
        let pending = Background { try supervisor.call("fine.test", "Echo", "hang", ["long"]) }
        try supervisor.console("hangs for long", of: "fine.test/e.mjs")
        supervisor.program.signal(SIGTERM)
        try Self.checkEnd(supervisor)
        // Whoever computes or stands still does not hear the order and needs signals; a call waits that nobody will answer.
        let report = try supervisor.line("shutdown report").text
        #expect(report.contains("| in order: 1 |"), "\(report)")
        #expect(report.contains("| killed: frozen.test/e.mjs |"), "\(report)")
        let terminated = try #require(report.components(separatedBy: "ended by SIGTERM: ").last)
        for id in ["loops.test/e.mjs", "starting.test/loops.mjs"] { #expect(terminated.contains(id), "\(report)") }
        #expect(throws: ControlError.self) { try spin.value() }
        #expect(throws: ControlError.self) { try pending.value() }
    }

    @Test func aSecondCtrlCDoesNotWait() throws {
        let supervisor = try RunningSupervisor(
            apps: Self.oneApp,
            configuration: #"{"components": {"e.test": {"stopGrace": "600s"}}}"#)
        try supervisor.line("component ready", about: "e.test/e.mjs")
        let spin = Background { try supervisor.call("e.test", "Echo", "spin", ["ever"]) }
        try supervisor.console("spins for ever", of: "e.test/e.mjs")
        supervisor.program.signal(SIGINT)
        try supervisor.line("shutting down")
        #expect(try supervisor.row("e.test/e.mjs").state == "closing")
        supervisor.program.signal(SIGINT)
        try Self.checkEnd(supervisor, within: .seconds(20))
        #expect(throws: ControlError.self) { try spin.value() }
    }

    @Test func theCommandShutsDownAndReturnsWhenItIsTrue() throws {
        let supervisor = try RunningSupervisor(apps: Self.manyApps())
        try supervisor.line("component ready")
        let command = try RunningProgram("corehost", ["shutdown", "--socket", supervisor.socket])
        #expect(try command.waitForExit() == 0)
        try Self.checkEnd(supervisor, within: .seconds(1))
    }

    @Test func aSupervisorKilledWhileBusyLeavesNothingThatHindersTheNext() throws {
        let apps = SmallApps.together(Self.manyApps(), Self.oneApp)
        let first = try RunningSupervisor(apps: apps)
        try first.line("component ready", about: "e.test/e.mjs", within: .seconds(60))
        let callers = (0..<3).map { _ in
            Background { while true { _ = try first.call("e.test", "Echo", "echo", [1]) } }
        }
        var from = -1
        for _ in 0..<10 { from = try first.line("component ready", from: from + 1, within: .seconds(60)).number }
        let children = try RunningSupervisor.children(of: first.program.pid).map { try PidDescriptor($0) }
        #expect(children.count >= 10)
        first.program.signal(SIGKILL)
        let death = ContinuousClock.now
        #expect(children.allSatisfy { $0.waitForExit(within: .seconds(10)) })
        let took = ContinuousClock.now - death
        print("supervisor killed: \(children.count) children gone after \(took)")
        #expect(took < .seconds(1))
        #expect(try first.program.waitForExit() == -SIGKILL)
        for caller in callers { #expect(throws: (any Error).self) { try caller.value() } }
        let next = try RunningSupervisor(apps: apps, folder: first.folder)
        try next.line("component ready", about: "e.test/e.mjs", within: .seconds(60))
        #expect(try next.call("e.test", "Echo", "echo", [1]) == 1)
        #expect(try next.end() == 0)
    }

    @Test func oneSupervisorPerDataFolder() throws {
        let first = try RunningSupervisor(apps: Self.oneApp)
        try first.line("component ready", about: "e.test/e.mjs")
        let second = try RunningSupervisor(
            apps: Self.oneApp, folder: first.folder, waitsForPlatform: false)
        #expect(try second.program.waitForExit() == 10)
        #expect(try first.call("e.test", "Echo", "echo", [1]) == 1)
        #expect(try first.row("e.test/e.mjs").generation == 1)
        #expect(try first.end() == 0)
    }

    @Test func ofTwentyAtOnceOneRuns() throws {
        let folder = try TemporaryFolder()
        let all = try (0..<20).map { _ in
            try RunningSupervisor(apps: Self.oneApp, folder: folder, waitsForPlatform: false)
        }
        let codes = all.map { supervisor in Background { try supervisor.program.waitForExit(within: .seconds(60)) } }
        let client = try all[0].clientOnceThere()
        let winner = try client.ask(.status, as: StatusReply.self, within: .seconds(30)).pid
        for (supervisor, code) in zip(all, codes) where Int(supervisor.program.pid) != winner {
            #expect(try code.value() == 10)
        }
        let index = try #require(all.firstIndex { Int($0.program.pid) == winner })
        #expect(!codes[index].isDone)
        all[index].program.signal(SIGTERM)
        #expect(try codes[index].value() == 0)
        try all[index].checkNothingIsLeft([])
    }
}

extension RunningSupervisor {
    /// A client, as soon as the socket answers.
    fileprivate func clientOnceThere() throws -> ControlClient {
        var found: ControlClient?
        try wait(for: "the socket") {
            do {
                found = try client()
            } catch let error as ControlError where error.exitCode == .notRunning {
                return false
            }
            return true
        }
        guard let found else { throw TestFailure("no client") }
        return found
    }
}
