import Control
import Foundation
import TestSupport
import Testing

private let id = "chaos.test/a.mjs"

/// `corehost chaos` as a program, against real supervisors.
@Suite struct ChaosCommandTests {
    private static let apps = SmallApps.app(
        "chaos.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]])

    /// A scenario with an app of its own, in a folder of its own.
    private static func scenario(
        _ more: String, duration: String = "1s", settle: String = "60s", in folder: TemporaryFolder
    ) throws -> String {
        // In a supervisor's folder it is there already, and may be being read.
        for (name, text) in apps where access("\(folder.path)/apps/\(name)", F_OK) != 0 {
            try folder.write(text, to: "apps/\(name)")
        }
        return try folder.write(
            """
            {"schema": "corehost.scenario/1", "name": "small", "duration": "\(duration)", "settle": "\(settle)",
            "recovery": {"within": "60s"}, \(more)}
            """, to: "small.jsonc")
    }

    private static let echoes =
        #"{"app": "chaos.test", "service": "Echo", "method": "echo", "arguments": [1], "within": "30s"}"#
    private static let kill = #""actions": [{"at": "200ms", "kill": {"target": "all"}}]"#

    private static func chaos(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram("corehost", ["chaos"] + arguments + ["--resources", RunningSupervisor.resources])
    }

    private static func whole(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func oneThatIsKilledComesBack() throws {
        let folder = try TemporaryFolder()
        let file = try Self.scenario(
            """
            "supervisor": {"apps": "apps"}, \(Self.kill),
            "probes": [{"name": "it runs", "components": {"target": "all", "count": 1}},
                {"name": "it echoes", "call": \(Self.echoes), "returns": 1},
                {"name": "nothing leaks", "leaks": {}}, {"name": "what is believed is so", "doctor": true}]
            """, in: folder)
        let report = folder.path + "/report.json"
        let run = try Self.chaos("run", file, "--json", report, "--junit", folder.path + "/report.xml")
        #expect(try run.waitForExit(within: .seconds(120)) == 0, "\(run.lines)")
        #expect(run.lines.last == "small, seed 1: held")
        let json = try JSONParser.parse(Self.whole(report))
        #expect(try JSONSchema(of: json).problems(of: json) == [])
        #expect(json["outcome"] == "held" && json["recoveries"]?["count"] == 1)
        #expect(try Self.whole(folder.path + "/report.xml").contains("failures=\"0\" errors=\"0\""))
    }

    @Test func aBrokenPromiseIsNamed() throws {
        let folder = try TemporaryFolder()
        // Whoever is killed is not there at once: that a component never dies is a promise that cannot be kept.
        let file = try Self.scenario(
            """
            "supervisor": {"apps": "apps", "configuration": {"components": {"*": {"restart": "temporary"}}}},
            \(Self.kill),
            "probes": [{"name": "it runs for ever", "components": {"target": "all", "count": 1}}]
            """, settle: "20s", in: folder)
        let report = folder.path + "/report.json"
        let run = try Self.chaos("run", file, "--json", report, "--junit", folder.path + "/report.xml")
        #expect(try run.waitForExit(within: .seconds(120)) == 8, "\(run.lines)")
        #expect(run.lines.last == "small, seed 1: BROKEN: it runs for ever")
        let json = try JSONParser.parse(Self.whole(report))
        #expect(json["outcome"] == "broken" && json["exitCode"] == 8)
        #expect(try Self.whole(folder.path + "/report.xml").contains("failures=\"1\" errors=\"0\""))
    }

    @Test func aScenarioThatIsWrongIsToldWithItsPlace() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("{\n  \"schema\": \"corehost.scenario/1\", \"nam\": 1}", to: "wrong.jsonc")
        for verb in ["check", "run"] {
            let run = try Self.chaos(verb, file)
            #expect(try run.waitForExit() == 12)
            #expect(run.lines.last?.contains("\(file):2:43: nam: unknown key; known here: ") == true, "\(run.lines)")
        }
        let check = try Self.chaos("check", file, "--json", "-")
        #expect(try check.waitForExit() == 12)
        let json = try JSONParser.parse(check.lines.dropLast().joined(separator: "\n"))
        #expect(try JSONSchema(of: json).problems(of: json) == [])
        #expect(json["line"] == 2 && json["key"] == "nam")
    }

    @Test func everyShippedScenarioIsRight() throws {
        let folder = RunningSupervisor.resources + "/chaos"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.count == 6)
        for name in names {
            let check = try Self.chaos("check", String(name.dropLast(".jsonc".count)))
            #expect(try check.waitForExit() == 0, "\(check.lines)")
        }
    }

    @Test func withoutASupervisorNothingIsDone() throws {
        let folder = try TemporaryFolder()
        let file = try Self.scenario(Self.kill, in: folder)
        let run = try Self.chaos("run", file, "--socket", folder.path + "/none.sock")
        #expect(try run.waitForExit() == 4)
    }

    @Test func aSupervisorThatIsEndedMeanwhileIsTold() throws {
        let supervisor = try RunningSupervisor(apps: Self.apps)
        let file = try Self.scenario(Self.kill, duration: "10min", in: supervisor.folder)
        let run = try Self.chaos("run", file, "--socket", supervisor.socket)
        try run.line(within: .seconds(60)) { $0.contains("runs again") }
        #expect(try supervisor.end() == 0)
        #expect(try run.waitForExit(within: .seconds(60)) == 4, "\(run.lines)")
        #expect(run.lines.last?.contains("could not run: the supervisor was ended in the middle of it") == true)
    }

    @Test func aSupervisorThatDiesBreaksAPromise() throws {
        let supervisor = try RunningSupervisor(apps: Self.apps)
        let file = try Self.scenario(Self.kill, duration: "10min", in: supervisor.folder)
        let run = try Self.chaos("run", file, "--socket", supervisor.socket)
        try run.line(within: .seconds(60)) { $0.contains("runs again") }
        supervisor.program.signal(SIGKILL)
        #expect(try run.waitForExit(within: .seconds(60)) == 8, "\(run.lines)")
        #expect(run.lines.last == "small, seed 1: BROKEN: the supervisor goes on")
    }

    @Test func faultsNeedLeave() throws {
        let supervisor = try RunningSupervisor(apps: Self.apps)
        let file = try Self.scenario(
            #""actions": [{"at": "0s", "fault": {"kind": "pause", "target": "all"}}]"#, in: supervisor.folder)
        let run = try Self.chaos("run", file, "--socket", supervisor.socket)
        #expect(try run.waitForExit(within: .seconds(60)) == 6, "\(run.lines)")
        #expect(run.lines.last?.contains("--allow-faults") == true)
        #expect(try supervisor.end() == 0)
    }

    /// Killed with -9, interrupted, or at its end: nothing that it has injected stays.
    @Test(arguments: [SIGKILL, SIGTERM, 0])
    func nothingStaysInjected(signal: Int32) throws {
        let supervisor = try RunningSupervisor(apps: Self.apps, options: ["--allow-faults"])
        let file = try Self.scenario(
            #""actions": [{"at": "100ms", "fault": {"kind": "pause", "target": "all", "duration": "5min"}}]"#,
            duration: signal == 0 ? "2s" : "4min", in: supervisor.folder)
        let run = try Self.chaos("run", file, "--socket", supervisor.socket)
        try run.line(within: .seconds(60)) { $0.contains("is applied to \(id)") }
        if signal != 0 { run.signal(signal) }
        #expect(try run.waitForExit(within: .seconds(120)) == -signal, "\(run.lines)")
        try supervisor.line("fault ended", within: .seconds(60))
        let list = try supervisor.client().ask(.fault(.list), as: FaultsReply.self, within: .seconds(60))
        #expect(list.faults.isEmpty && list.ended.first?.applied == 1)
        #expect(try supervisor.call("chaos.test", "Echo", "echo", [1], within: .seconds(60)) == 1)
        #expect(try supervisor.end() == 0)
    }

    /// However the client ends, the supervisor that it started does not outlive it.
    @Test(arguments: [SIGTERM, SIGKILL])
    func itsOwnSupervisorEndsWithIt(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let file = try Self.scenario(
            #""supervisor": {"apps": "apps"}, "# + Self.kill, duration: "10min", in: folder)
        let run = try Self.chaos("run", file)
        try run.line(within: .seconds(60)) { $0.contains("runs again") }
        let supervisors = try RunningSupervisor.children(of: run.pid).map(PidDescriptor.init)
        #expect(supervisors.count == 1)
        run.signal(signal)
        #expect(try run.waitForExit(within: .seconds(60)) == -signal, "\(run.lines)")
        for supervisor in supervisors { #expect(supervisor.waitForExit(within: .seconds(60))) }
    }

    /// Whoever interrupts it twice does not wait for the order; its folder goes all the same.
    @Test(arguments: ["starting", "running", "running, twice", "ending"])
    func ofAnInterruptedRunNothingIsLeft(when moment: String) throws {
        let folder = try TemporaryFolder()
        let temporary = try TemporaryFolder()
        let file = try Self.scenario(
            #""supervisor": {"apps": "apps"}, "# + Self.kill, duration: moment == "ending" ? "1s" : "10min", in: folder)
        let watch = try FileWatch(temporary.path)
        let run = try RunningProgram(
            "corehost", ["chaos", "run", file, "--resources", RunningSupervisor.resources],
            environment: ["TMPDIR": temporary.path])
        let isThere = watch.wait(within: .seconds(60)) { !temporary.names().isEmpty }
        let own = "\(temporary.path)/\(try #require(isThere ? temporary.names().first : nil))"
        switch moment {
        case "starting": break
        case "ending":
            try watch.add(own)
            // Until it has said something there is nothing to read.
            #expect(
                watch.wait(within: .seconds(60)) {
                    (try? Self.whole(own + "/output"))?.contains("shutting down") == true
                })
        default: try run.line(within: .seconds(60)) { $0.contains("runs again") }
        }
        let supervisors = try RunningSupervisor.children(of: run.pid).map(PidDescriptor.init)
        for _ in 0..<(moment == "running, twice" ? 2 : 1) { run.signal(SIGINT) }
        let code = try run.waitForExit(within: .seconds(60))
        switch moment {
        // Two may have been one for the kernel.
        case "running, twice": #expect(code == -SIGINT || code == 128 + SIGINT, "\(run.lines)")
        // It may have been at its end.
        case "ending": #expect(code == -SIGINT || code == 0, "\(run.lines)")
        default: #expect(code == -SIGINT, "\(run.lines)")
        }
        for supervisor in supervisors { #expect(supervisor.waitForExit(within: .seconds(60))) }
        #expect(temporary.names() == [])
    }
}
