import Control
import Foundation
import TestSupport
import Testing

/// What follows the ends of real children's lives.
@Suite struct RestartTests {
    private static func apps(_ domains: String...) -> [String: String] {
        domains.reduce(into: [:]) { all, domain in
            let app = SmallApps.app(domain, ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])
            all.merge(app) { first, _ in first }
        }
    }

    private enum End: String, CaseIterable {
        case closedItself = "closed-itself"
        case uncaughtError = "uncaught-error"
        case unhandledRejection = "unhandled-rejection"
        case signalled
        case killed

        func cause(_ id: String, _ domain: String, _ supervisor: RunningSupervisor) throws {
            switch self {
            // The answer and the end race; either way the end is seen.
            case .closedItself: _ = try? supervisor.call(domain, "Echo", "close")
            case .uncaughtError: _ = try? supervisor.call(domain, "Echo", "throwLater")
            case .unhandledRejection: _ = try? supervisor.call(domain, "Echo", "rejectLater")
            case .signalled: kill(try supervisor.pid(id), SIGKILL)
            case .killed: _ = try supervisor.ask(.kill(id: id, signal: KillSignal.parse("SIGTERM").get()))
            }
        }
    }

    @Test(arguments: ["permanent", "transient", "temporary"])
    func eachEndIsFollowedByWhatTheTypeSays(type: String) throws {
        let domain = "\(type).test"
        let id = "\(domain)/e.mjs"
        let supervisor = try RunningSupervisor(
            apps: Self.apps(domain),
            configuration: #"""
                {"components": {"\#(domain)": {"restart": "\#(type)", "backoff": {"first": "1ms", "max": "1ms"}}}}
                """#)
        var from = 0
        for end in End.allCases {
            from = try supervisor.line("component ready", about: id, from: from).number + 1
            let before = try supervisor.row(id)
            try end.cause(id, domain, supervisor)
            let ended = try supervisor.line("component ended", about: id, from: from)
            #expect(ended.text.contains("cause: \(end.rawValue)"), "\(ended.text)")
            let comesBack = type == "permanent" || (type == "transient" && end != .closedItself)
            if !comesBack {
                try supervisor.line("component down", about: id, from: ended.number)
                let row = try supervisor.row(id)
                #expect(row.state == "down" && row.wanted == "down" && row.restarts == before.restarts)
                _ = try supervisor.ask(.start(id: id))
            }
            try supervisor.line("component ready", about: id, from: ended.number)
            let after = try supervisor.row(id)
            #expect(after.generation == before.generation + 1, "\(end)")
        }
        #expect(try supervisor.end() == 0)
    }

    @Test func aServiceStartsOnDemandAndAnewAfterItsEnd() throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("demand.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]], startup: []))
        let id = "demand.test/e.mjs"
        #expect(try supervisor.row(id).state == "down")
        let calls = (0..<5).map { number in
            Background { try supervisor.call("demand.test", "Echo", "echo", [JSONValue(number)]) }
        }
        for (number, call) in calls.enumerated() { #expect(try call.value() == JSONValue(number)) }
        #expect(try supervisor.row(id).generation == 1)
        kill(try supervisor.pid(id), SIGKILL)
        let down = try supervisor.line("component down", about: id)
        #expect(try supervisor.call("demand.test", "Echo", "echo", ["again"]) == "again")
        try supervisor.line("component ready", about: id, from: down.number)
        let row = try supervisor.row(id)
        #expect(row.generation == 2 && row.restarts == 0 && row.kind == "service")
        #expect(try supervisor.end() == 0)
    }

    @Test func eachConnectionHasItsInstanceAndNothingRemainsOfIt() throws {
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "each.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]], startup: [],
                perConnection: true), resources: probe.path)
        let first = Background { try supervisor.call("each.test", "Echo", "hang", ["first"]) }
        try supervisor.console("hangs for first", of: "each.test/e.mjs#1")
        let second = Background { try supervisor.call("each.test", "Echo", "hang", ["second"]) }
        try supervisor.console("hangs for second", of: "each.test/e.mjs#2")
        let rows = try supervisor.ps()
        #expect(rows.map(\.id) == ["each.test/e.mjs#1", "each.test/e.mjs#2"])
        kill(pid_t(try #require(rows[0].pid)), SIGKILL)
        #expect(throws: ControlError.self) { try first.value() }
        try supervisor.line("component down", about: "each.test/e.mjs#1")
        #expect(try supervisor.ps().map(\.id) == ["each.test/e.mjs#2"])
        #expect(try supervisor.call("each.test", "Echo", "echo", [3]) == 3)
        try supervisor.line("component down", about: "each.test/e.mjs#3")
        #expect(!second.isDone)
        kill(pid_t(try #require(rows[1].pid)), SIGKILL)
        #expect(throws: ControlError.self) { try second.value() }
        try supervisor.line("component down", about: "each.test/e.mjs#2")
        #expect(try supervisor.ps().isEmpty)
        #expect(
            try supervisor.coreTables() == [
                "connectors": 0, "listeners": 0, "waiting": 0, "connections": 0, "waitingCommands": 0,
                "notifications": 0, "connectivityObservers": 0,
            ])
        #expect(try supervisor.end() == 0)
    }

    @Test func theDelaysGrowAndStartLeadsOutOfQuarantineAndOutOfAFault() throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.together(
                SmallApps.app("loop.test", ["bad.mjs": "throw new Error('broken');"]),
                SmallApps.app("fault.test", ["bad.mjs": "let let let;"])),
            configuration: #"""
                {"components": {"loop.test": {
                    "maxRestarts": 3, "backoff": {"first": "40ms", "factor": 3, "max": "200ms", "jitter": 0}}}}
                """#)
        let id = "loop.test/bad.mjs"
        try supervisor.line("component quarantined", about: id)
        let delays = supervisor.program.lines.compactMap { line -> Double? in
            guard line.contains("] component waits"), line.contains(id),
                let field = line.range(of: "delay: ")
            else { return nil }
            return Double(line[field.upperBound...].prefix { $0 != " " })
        }
        #expect(zip(delays, [40.0, 120, 200]).allSatisfy { $0 <= $1 && $0 > $1 / 2 } && delays.count == 3, "\(delays)")
        #expect(try supervisor.row(id).state == "failed")
        #expect(throws: ControlError.self) { try supervisor.ask(.start(id: "fault.test/bad.mjs")) }
        #expect(try supervisor.row("fault.test/bad.mjs").restarts == 0)
        for id in [id, "fault.test/bad.mjs"] {
            let app = id.prefix { $0 != "/" }
            try supervisor.folder.write("console.log('mended');", to: "apps/\(app)/app/bad.mjs")
            let row = try supervisor.ask(.start(id: id))
            #expect(row.state == "running")
        }
        #expect(try supervisor.end() == 0)
    }

    /// Kills at any moment between the spawn and ready, and after it: each time one new life, and never two processes.
    @Test func aComponentKilledWhileItStartsComesBackWhole() throws {
        let seed = SeededRandom.seed(for: "kill while starting")
        var random = SeededRandom(seed: seed)
        let supervisor = try RunningSupervisor(
            apps: Self.apps("start.test"),
            configuration: #"""
                {"components": {"start.test": {"maxRestarts": 1000, "backoff": {"first": "1ms", "max": "1ms"}}}}
                """#)
        let id = "start.test/e.mjs"
        var from = 0
        for _ in 0..<12 {
            let spawned = try supervisor.line("component spawned", about: id, from: from)
            from = spawned.number + 1
            usleep(UInt32.random(in: 0..<80_000, using: &random))
            kill(try Self.pid(in: spawned.text), SIGKILL)
            let ended = try supervisor.line("component ended", about: id, from: from)
            #expect(ended.text.contains("cause: signalled"), "\(ended.text)")
        }
        let spawned = try supervisor.line("component spawned", about: id, from: from)
        try supervisor.line("component ready", about: id, from: spawned.number)
        let row = try supervisor.row(id)
        #expect(row.generation == 13 && row.restarts == 12)
        #expect(try supervisor.componentProcesses() == [Self.pid(in: spawned.text)])
        #expect(try supervisor.call("start.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    private static func pid(in line: String) throws -> Int32 {
        guard let field = line.range(of: "pid: "),
            let pid = Int32(line[field.upperBound...].prefix { $0.isNumber })
        else { throw TestFailure("no pid in \(line)") }
        return pid
    }

    @Test func aComponentThatDoesNotStopIsMadeTo() throws {
        let supervisor = try RunningSupervisor(
            apps: Self.apps("loop.test", "frozen.test", "shot.test"),
            configuration: #"""
                {"components": {
                    "loop.test": {"stopGrace": "300ms"}, "frozen.test": {"stopGrace": "300ms"},
                    "shot.test": {"stopGrace": "60s"}}}
                """#)
        for app in ["loop", "frozen", "shot"] { try supervisor.line("component ready", about: "\(app).test/e.mjs") }
        for app in ["loop", "shot"] {
            let spin = Background { try supervisor.call("\(app).test", "Echo", "hang", [.string(app)]) }
            try supervisor.console("hangs for \(app)", of: "\(app).test/e.mjs")
            let endless = Background { try supervisor.call("\(app).test", "Echo", "spin", [.string(app)]) }
            try supervisor.console("spins for \(app)", of: "\(app).test/e.mjs")
            _ = (spin, endless)
        }
        kill(try supervisor.pid("frozen.test/e.mjs"), SIGSTOP)
        let shot = try supervisor.pid("shot.test/e.mjs")
        let stops = ["loop", "frozen", "shot"].map { app in
            Background { try supervisor.ask(.stop(id: "\(app).test/e.mjs")) }
        }
        try supervisor.wait(for: "closing") { try supervisor.row("shot.test/e.mjs").state == "closing" }
        kill(shot, SIGKILL)
        for stop in stops { #expect(try stop.value().state == "down") }
        for (app, signal) in [("loop", 15), ("frozen", 9), ("shot", 9)] {
            let exited = try supervisor.line("component exited", about: "\(app).test/e.mjs")
            #expect(exited.text.contains("cause: signal \(signal)"), "\(exited.text)")
            let ended = try supervisor.line("component ended", about: "\(app).test/e.mjs")
            #expect(ended.text.contains("cause: stopped"), "\(ended.text)")
        }
        #expect(try supervisor.componentProcesses() == [])
        #expect(try supervisor.end() == 0)
    }

    @Test func aStartThatTakesTooLongEnds() throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "slow.test", ["loops.mjs": "for (;;);", "e.mjs": SmallApps.echo],
                services: ["e.mjs": ["Echo"]]),
            configuration: #"""
                {"components": {"slow.test/loops.mjs": {
                    "startTimeout": "700ms", "maxRestarts": 1, "backoff": {"first": "1ms"}}}}
                """#)
        let id = "slow.test/loops.mjs"
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains("cause: start-timeout"), "\(ended.text)")
        try supervisor.line("component quarantined", about: id)
        #expect(try supervisor.call("slow.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.row(id).generation == 2)
        #expect(try supervisor.end() == 0)
    }
}
