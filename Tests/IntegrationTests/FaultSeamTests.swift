import Control
import Foundation
import TestSupport
import Testing

private let id = "ports.test/a.mjs"

/// Faults of ports, of the core and of what the machine gives.
@Suite struct FaultSeamTests {
    private static let quick = """
        {"components": {"*": {"backoff": {"first": "10ms", "max": "20ms"}, "maxRestarts": 100}}}
        """

    private func start() throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("ports.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]]),
            configuration: Self.quick, options: ["--allow-faults", "--allow-eval"])
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    private func inject(_ supervisor: RunningSupervisor, _ words: [String]) throws {
        let outcome = try RunningSupervisor.corehost(
            ["fault", "inject"] + words + ["--detach"], ["COREHOST_SOCKET": supervisor.socket])
        #expect(outcome.code == 0, "\(outcome.lines)")
    }

    /// Once it is in force there, which the core's thread says.
    private func inject(_ supervisor: RunningSupervisor, applied words: [String]) throws {
        let from = supervisor.program.lines.count
        try inject(supervisor, words)
        try supervisor.line("fault applied", from: from)
    }

    private func clear(_ supervisor: RunningSupervisor) throws {
        #expect(try supervisor.corehost("fault", "clear", "--all").code == 0)
    }

    private func echo(_ supervisor: RunningSupervisor, _ value: JSONValue) throws -> JSONValue {
        try supervisor.call("ports.test", "Echo", "echo", [value])
    }

    @Test(arguments: ["to-core", "to-component"])
    func whatIsLateArrivesInOrder(direction: String) throws {
        let supervisor = try start()
        for kind in [["port-delay", "delay=300ms", "jitter=50ms"], ["port-bandwidth", "rate=2KiB"]] {
            try inject(supervisor, applied: kind + ["direction=\(direction)", "--target", "all", "--duration", "5m"])
            let began = ContinuousClock.now
            let long = JSONValue.string(String(repeating: "x", count: 900))
            #expect(try echo(supervisor, long) == long)
            #expect(ContinuousClock.now - began >= .milliseconds(300), "\(kind)")
            try clear(supervisor)
        }
        #expect(try echo(supervisor, 1) == 1)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    /// What a clear finds on its way is given on, not lost.
    @Test func aClearLosesNothing() throws {
        let supervisor = try start()
        try inject(supervisor, applied: ["port-delay", "delay=60s", "--target", "all", "--duration", "5m"])
        let call = Background { try supervisor.call("ports.test", "Echo", "echo", [7]) }
        let other = Background { try supervisor.call("ports.test", "Echo", "echo", [8]) }
        try clear(supervisor)
        #expect(try call.value() == 7 && other.value() == 8)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test(
        arguments: ["port-cut", "port-corrupt", "port-repeat", "port-swap", "port-close"], ["to-core", "to-component"])
    func whoeverReceivesNotices(kind: String, direction: String) throws {
        let supervisor = try start()
        try inject(
            supervisor, applied: [kind, "direction=\(direction)", "--target", "all", "--duration", "5m", "--seed", "3"])
        let calls = (0..<4).map { number in
            Background { _ = try? supervisor.call("ports.test", "Echo", "echo", [JSONValue(number)]) }
        }
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains("injected fault 1 (\(kind), seed 3)"), "\(ended.text)")
        try supervisor.line("component ready", about: id, from: ended.number)
        for call in calls { try call.value() }
        #expect(try echo(supervisor, 5) == 5)
        #expect(try supervisor.end() == 0)
    }

    @Test func aComponentThatIsNotReadFromGoesOnLater() throws {
        let supervisor = try start()
        try inject(supervisor, applied: ["port-stop-reading", "--target", "all", "--duration", "5m"])
        let call = Background { try supervisor.call("ports.test", "Echo", "echo", [7]) }
        try clear(supervisor)
        #expect(try call.value() == 7)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func theCoreIsBusyAndThrows() throws {
        let supervisor = try start()
        try inject(supervisor, applied: ["core-busy", "for=5m", "--duration", "5m"])
        let call = Background { try supervisor.call("ports.test", "Echo", "echo", [7]) }
        try clear(supervisor)
        #expect(try call.value() == 7)

        try inject(supervisor, applied: ["core-exception", "call=callService", "times=2", "--duration", "5m"])
        for _ in 0..<2 {
            let outcome = try supervisor.corehost("call", "ports.test", "Echo", "echo", "1")
            #expect(outcome.code == 7 && outcome.lines.joined().contains("injected fault 2"), "\(outcome)")
        }
        #expect(try echo(supervisor, 8) == 8)
        try clear(supervisor)
        #expect(try supervisor.end() == 0)
    }

    @Test func theClockJumpsAndJumpsBack() throws {
        let supervisor = try start()
        func areAhead(by hours: Double) throws -> Bool {
            try ["core", id].allSatisfy { place in
                let text = try supervisor.corehost("eval", place, "Date.now()").lines.joined()
                return abs(((Double(text) ?? 0) / 1000 - Date().timeIntervalSince1970) / 3600 - hours) < 1
            }
        }
        #expect(try areAhead(by: 0))
        try inject(supervisor, applied: ["clock-step", "by=-48h", "--duration", "5m"])
        #expect(try areAhead(by: -48))
        #expect(try supervisor.row(id).generation == 1)
        // A process that begins meanwhile has the clock of all others.
        #expect(try supervisor.corehost("restart", id).code == 0)
        #expect(try areAhead(by: -48))
        try clear(supervisor)
        #expect(try areAhead(by: 0))
        #expect(try supervisor.row(id).generation == 2)
        #expect(try supervisor.end() == 0)
    }

    /// Whoever moves the bytes: this process, or the kernel.
    @Test func aFullDiskTakesNeitherWritesNorCopies() throws {
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(apps: [:], resources: probe.path, options: ["--allow-faults"])
        func tell(_ call: String) throws -> JSONValue {
            try supervisor.evaluate(
                "try { await platform.device_fs.\(call); return 'done'; } catch (e) { return e.code; }")
        }
        _ = try supervisor.evaluate("await platform.device_fs.mkdir('d');")
        #expect(try tell("writeFile('d/some', new Uint8Array(1 << 20).fill(1))") == "done")
        try inject(supervisor, ["disk-full", "place=data", "--duration", "5m"])
        #expect(try tell("writeFile('d/more', new Uint8Array(1))") == "ENOSPC")
        #expect(try tell("copyFile('d/some', 'd/copy')") == "ENOSPC")
        try clear(supervisor)
        #expect(try tell("copyFile('d/some', 'd/copy')") == "done")
        let names = try supervisor.evaluate("return (await platform.device_fs.readdir('d')).sort();")
        #expect(names == ["copy", "more", "some"])
        #expect(try supervisor.end() == 0)
    }

    @Test func aFullDiskOfTheLogsIsTold() throws {
        let supervisor = try start()
        try inject(supervisor, applied: ["disk-full", "place=logs", "--duration", "5m"])
        _ = try echo(supervisor, 1)
        func kinds() throws -> [String] {
            try supervisor.corehost("events", "--json").lines.compactMap { try JSONParser.parse($0)["kind"]?.string }
        }
        func wait(for kind: String) throws {
            for _ in 0..<600 where try !kinds().contains(kind) {
                _ = try supervisor.corehost("kill", id, "--signal", "SIGCONT")
                Thread.sleep(forTimeInterval: 0.05)
            }
            #expect(try kinds().contains(kind))
        }
        try wait(for: "log-loss")
        try clear(supervisor)
        try wait(for: "log-recovered")
        #expect(try supervisor.end() == 0)
    }
}
