import Control
import Foundation
import TestSupport
import Testing

/// Background tasks of a real supervisor, on a machine whose load and battery the test makes up.
@Suite struct BackgroundTaskTests {
    private static let id = "sync.test/s.mjs"
    private static let task = "sync.test.s.mjs"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("Battery\n", to: "power/BAT0/type")
        try machine(load: 0, battery: "Charging")
    }

    private func machine(load: Double, battery: String) throws {
        try folder.write("\(load) 0.10 0.20 1/100 4711\n", to: "loadavg")
        try folder.write("\(battery)\n", to: "power/BAT0/status")
    }

    private func supervisor(
        _ rules: String, tasks: String = "", others: [String: String] = [:]
    ) throws -> RunningSupervisor {
        try RunningSupervisor(
            apps: SmallApps.together(
                SmallApps.app("sync.test", ["s.mjs": SmallApps.echo], services: ["s.mjs": ["Echo"]]), others),
            configuration: #"{"components": {"*": {\#(rules)}}\#(tasks)}"#, folder: folder,
            environment: [
                "COREHOST_POWER_SUPPLY": folder.path + "/power", "COREHOST_LOADAVG": folder.path + "/loadavg",
            ])
    }

    private func row(_ supervisor: RunningSupervisor) throws -> TaskRow {
        let reply = try supervisor.client().ask(.tasks, as: TasksReply.self, within: .seconds(20))
        return try #require(reply.tasks.first { $0.task == Self.task })
    }

    @Test func aWindowOpensInItsTimeAndIsClosedAfterIt() throws {
        let supervisor = try supervisor(#""background": "windowed", "window": {"every": "2s", "length": "1s"}"#)
        try supervisor.line("background task begins", about: Self.id)
        let ready = try supervisor.line("component ready", about: Self.id)
        let ends = try supervisor.line("background task ends", about: Self.id, from: ready.number)
        #expect(ends.text.contains("outcome: time-over"), "\(ends.text)")
        let down = try supervisor.line("component down", about: Self.id)
        #expect(down.text.contains("reason: stopped by the platform"), "\(down.text)")
        // And again, however often.
        try supervisor.line("component ready", about: Self.id, from: ends.number)
        try supervisor.line("background task ends", about: Self.id, from: ends.number + 1)
        #expect(try row(supervisor).cycles >= 2)
        let events = try supervisor.corehost("events", "--component", Self.id).lines
        #expect(events.contains { $0.contains("task-began") } && events.contains { $0.contains("task-ended") })
        #expect(try supervisor.end() == 0)
    }

    @Test func whatTheBatteryKeepsWaitingSaysSo() throws {
        try machine(load: 0, battery: "Discharging")
        let supervisor = try supervisor(#""background": "windowed", "window": {"every": "2s", "length": "1s"}"#)
        try supervisor.line("background task waits", about: Self.id)
        let waiting = try row(supervisor)
        #expect(waiting.state == "waiting" && waiting.waitsFor == ["the machine runs on its battery"], "\(waiting)")
        let listing = try supervisor.corehost("tasks")
        #expect(listing.code == 0 && listing.lines.contains("\(Self.task) waits: the machine runs on its battery"))
        #expect(listing.lines.last?.hasSuffix("on its battery") == true)
        let why = try supervisor.corehost("why", Self.id)
        #expect(why.lines.contains { $0.contains("waits: the machine runs on its battery") }, "\(why)")
        #expect(why.lines.contains { $0.contains("corehost wake \(Self.id)") }, "\(why)")
        #expect(try supervisor.row(Self.id).state == "down")
        // Busy and charging: it still waits, for another reason; then it gets its window.
        try machine(load: 400, battery: "Charging")
        let busy = try supervisor.program.line { $0.contains("] background task waits") && $0.contains("busy") }
        try machine(load: 0, battery: "Charging")
        try supervisor.line("component ready", about: Self.id, from: busy.number)
        #expect(try supervisor.end() == 0)
    }

    @Test func aWakeRunsOneCycleAndManyRunOneMore() throws {
        try machine(load: 400, battery: "Discharging")
        let supervisor = try supervisor(#""background": "push", "window": {"length": "1h"}"#)
        #expect(try row(supervisor).state == "unscheduled")
        let why = try supervisor.corehost("why", Self.id)
        #expect(why.lines.contains { $0.contains("because nothing has asked for it") }, "\(why)")
        for (name, words) in [
            (Self.task, "runs"), (Self.id, "one more cycle follows"), ("sync.test.s", "one more cycle was to follow"),
        ] {
            let woken = try supervisor.corehost("wake", name)
            #expect(woken.code == 0 && woken.lines.last?.hasSuffix(words) == true, "\(woken)")
        }
        let running = try row(supervisor)
        #expect(running.state == "running" && running.again && running.endsIn ?? 0 > 3000)
        for generation in 1...2 {
            #expect(try supervisor.row(Self.id).generation == generation)
            let before = supervisor.program.lines.count
            _ = try supervisor.call("sync.test", "Echo", "close")
            let end = try supervisor.line("background task ends", about: Self.id, from: before)
            #expect(end.text.contains("outcome: ended"))
            if generation == 1 { try supervisor.line("component ready", about: Self.id, from: end.number) }
        }
        let after = try row(supervisor)
        #expect(after.state == "unscheduled" && after.cycles == 2 && after.last?.by == "wake", "\(after)")
        // The user's word counts more.
        #expect(try supervisor.corehost("stop", Self.id).code == 0)
        let refused = try supervisor.corehost("wake", Self.task)
        #expect(refused.code == 6 && refused.lines.last?.contains("was stopped by the user") == true, "\(refused)")
        #expect(try supervisor.corehost("start", Self.id).code == 0)
        let alone = try supervisor.corehost("wake", Self.task, "--json")
        #expect(alone.lines.contains { $0.contains(#""outcome": "running""#) }, "\(alone)")
        let audit = try supervisor.corehost("audit").lines
        #expect(audit.contains { $0.contains("wake task=\(Self.task): done") }, "\(audit)")
        #expect(try supervisor.end() == 0)
    }

    @Test func onlyWhatIsPermittedStartsWithTheSystem() throws {
        let other = SmallApps.app("asked.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]])
        let supervisor = try supervisor("", tasks: #", "tasks": {"permitted": ["other.task"]}"#, others: other)
        try supervisor.line("background task is not permitted", about: Self.id)
        #expect(try supervisor.row(Self.id).generation == 0 && !row(supervisor).permitted)
        let why = try supervisor.corehost("why", Self.id)
        #expect(why.lines.contains { $0.contains("its task, \(Self.task), is not permitted") }, "\(why)")
        let refused = try supervisor.corehost("wake", Self.task)
        #expect(
            refused.code == 6 && refused.lines.last?.contains("add it to \"tasks.permitted\"") == true, "\(refused)")
        // An app that needs it still gets it.
        #expect(try supervisor.call("asked.test", "Echo", "echo", [1]) == 1)
        try folder.write(#"{"tasks": {"permitted": ["\#(Self.task)"]}}"#, to: "corehost.jsonc")
        let reload = try supervisor.corehost("reload")
        #expect(reload.lines.contains("tasks.permitted: other.task → \(Self.task), in force"), "\(reload)")
        try supervisor.line("component ready", about: Self.id)
        for (name, code, words) in [
            ("nobody", 3, "no background task is called \"nobody\"; `corehost tasks` lists them"),
            (Self.task, 6, "runs as \"always\", not in cycles"), ("", 3, "no background task is called \"\""),
        ] as [(String, Int32, String)] {
            let outcome = try supervisor.corehost("wake", name)
            #expect(outcome.code == code && outcome.lines.last?.contains(words) == true, "\(outcome)")
        }
        #expect(try supervisor.corehost("wake").code == 2)
        #expect(try supervisor.end() == 0)
    }
}
