import Control
import Foundation
import TestSupport
import Testing

private let id = "fault.test/a.mjs"

/// Faults injected into real components, and what is left of them: nothing.
@Suite struct FaultTests {
    private static let quick = """
        {"components": {"*": {"backoff": {"first": "10ms", "max": "20ms"}, "maxRestarts": 100,
         "heartbeat": {"interval": "100ms", "soft": "5s", "hard": "60s"}}}}
        """

    private func start(
        _ options: [String] = ["--allow-faults"], folder: TemporaryFolder? = nil, configuration: String = quick
    ) throws -> RunningSupervisor {
        let app = SmallApps.app("fault.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]])
        let supervisor = try RunningSupervisor(
            apps: app, configuration: configuration, options: options, folder: folder)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    /// `R`, `S`, `T` (stopped), …
    private func state(of pid: Int?) throws -> Character? {
        let text = try String(contentsOfFile: "/proc/\(try #require(pid))/stat", encoding: .utf8)
        return text.split(separator: ")").last?.first { $0 != " " }
    }

    /// Nil for a process that is gone.
    private func stateIfThere(of pid: Int) throws -> Character? {
        access("/proc/\(pid)/stat", F_OK) == 0 ? try state(of: pid) : nil
    }

    /// The kernel stops a process when that runs next.
    private func waitUntilStopped(_ pid: Int?) throws {
        for _ in 0..<600 where try state(of: pid) != "T" { Thread.sleep(forTimeInterval: 0.05) }
        #expect(try state(of: pid) == "T")
    }

    private func inject(
        _ supervisor: RunningSupervisor, _ words: String..., target: String? = "id=\(id)"
    ) throws -> (code: Int32, lines: [String]) {
        let choice = target.map { ["--target", $0] } ?? []
        return try RunningSupervisor.corehost(
            ["fault", "inject"] + words + choice, ["COREHOST_SOCKET": supervisor.socket])
    }

    @Test func areOffUnlessAllowed() throws {
        let supervisor = try start([])
        let refusal = "corehost: faults are off; start the supervisor with `corehost run --allow-faults` to have them"
        #expect(try inject(supervisor, "signal").lines == [refusal])
        #expect(try inject(supervisor, "signal").code == 6)
        #expect(try supervisor.corehost("fault", "clear", "--all").lines == [refusal])
        let list = try supervisor.corehost("fault", "list")
        #expect(list.code == 0 && list.lines.first?.hasPrefix("faults are off") == true)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func aKillIsTaggedWhereverItIsTold() throws {
        let supervisor = try start()
        #expect(supervisor.program.lines.contains { $0.contains("FAULTS ARE ALLOWED: ") })
        let outcome = try inject(supervisor, "signal", "signal=kill", "--seed", "42", "--json")
        #expect(outcome.code == 0, "\(outcome.lines)")
        let lines = try outcome.lines.map { try JSONParser.parse($0) }
        #expect(lines.first?["fault"]?["id"] == 1 && lines.first?["fault"]?["seed"] == 42)
        #expect(lines.compactMap { $0["what"]?.string } == ["applied", "ended"])
        #expect(lines.last?["detail"] == "count" && lines[1]["component"]?.string == id)
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains("killed with SIGKILL by injected fault 1 (signal, seed 42)"), "\(ended.text)")
        try supervisor.line("component ready", about: id, from: ended.number)
        let exit = try supervisor.inspect(id).lastExit
        #expect(exit?.fault == FaultTag(id: 1, kind: "signal", seed: 42))
        #expect(exit?.cause == "killed" && exit?.certainty == "proved")
        let death = try JSONParser.parse(
            try supervisor.corehost("deaths", id, "last", "--json").lines.joined(separator: "\n"))
        #expect(death["evidence"]?["fault"]?["id"] == 1)
        let events = try supervisor.corehost("events", "--json").lines.map { try JSONParser.parse($0) }
        for kind in ["fault-injected", "fault-applied", "fault-ended"] {
            #expect(events.contains { $0["kind"]?.string == kind && $0["fields"]?["fault"] == "1" }, "\(kind)")
        }
        let died = events.first { $0["kind"] == "component-died" }
        #expect(died?["fields"]?["fault"] == "1 signal")
        #expect(try supervisor.corehost("audit").lines.contains { $0.contains("fault.inject") })
        #expect(try supervisor.end() == 0)
    }

    @Test func whatIsHeldIsUndoneByTimeByClearAndByTheClientsEnd() throws {
        let supervisor = try start()
        let pid = try supervisor.row(id).pid
        #expect(try inject(supervisor, "pause", "--duration", "200ms").code == 0)
        #expect(try state(of: pid) != "T")

        #expect(try inject(supervisor, "pause", "--detach").code == 0)
        try waitUntilStopped(pid)
        let list = try supervisor.corehost("fault", "list")
        #expect(list.lines.first?.hasPrefix("fault 2: pause --target id=\(id) --seed ") == true, "\(list.lines)")
        let goOn = try supervisor.corehost("kill", id, "--signal", "SIGCONT")
        #expect(goOn.code == 6 && goOn.lines.first?.contains("`corehost fault clear 2`") == true, "\(goOn.lines)")
        #expect(list.lines.first?.hasSuffix("holds \(id)") == true)
        let cleared = try supervisor.corehost("fault", "clear", "2")
        #expect(cleared.code == 0 && cleared.lines.first?.hasSuffix("cleared") == true, "\(cleared.lines)")
        #expect(try state(of: pid) != "T")
        #expect(try supervisor.corehost("fault", "clear", "2").code == 3)

        for signal: Int32 in [SIGKILL, SIGINT] {
            let from = supervisor.program.lines.count
            let client = try RunningProgram(
                "corehost", ["fault", "inject", "pause", "--target", "all", "--duration", "5m"],
                environment: ["COREHOST_SOCKET": supervisor.socket])
            try client.line { $0.contains(" applied \(id)") }
            try waitUntilStopped(pid)
            client.signal(signal)
            let ended = try supervisor.line("fault ended", from: from)
            #expect(ended.text.contains("reason: client-gone"), "\(ended.text)")
            #expect(try state(of: pid) != "T")
        }
        // Nobody was harmed.
        #expect(try supervisor.call("fault.test", "Echo", "echo", [7]) == 7)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try inject(supervisor, "pause", "--detach", "--duration", "1h").code == 0)
        #expect(try supervisor.end() == 0)
        // Undone, and said once more by the next run.
        let next = try start([], folder: supervisor.folder)
        try next.line("a fault of the last run was undone by its end")
        #expect(!FileManager.default.fileExists(atPath: next.data + "/faults-in-force.json"))
        #expect(try next.end() == 0)
    }

    @Test func aRequestThatGetsNoAnswerInjectsNothingThatOnlyItsClientEnds() throws {
        let supervisor = try start()
        let client = try RawClient(supervisor.socket)
        let target = #""kind":"pause","target":"id=\#(id)""#
        client.send(#"{"jsonrpc":"2.0","method":"fault.inject","params":{\#(target),"parameters":{}}}"#)
        client.send(#"{"jsonrpc":"2.0","id":1,"method":"fault.list"}"#)
        #expect(client.line()?["result"]?["faults"]?.array?.isEmpty == true)
        client.send(#"{"jsonrpc":"2.0","method":"fault.inject","params":{\#(target),"parameters":{},"detach":true}}"#)
        client.send(#"{"jsonrpc":"2.0","id":2,"method":"fault.list"}"#)
        #expect(client.line()?["result"]?["faults"]?.array?.count == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func anEndThatACallOfTheCoreLedToIsTagged() throws {
        let supervisor = try start()
        #expect(try inject(supervisor, "core-exception", "call=launchComponent", "--detach", target: nil).code == 0)
        try supervisor.line("fault applied")
        let from = supervisor.program.lines.count
        _ = try supervisor.corehost("restart", id)
        let ended = try supervisor.line("component ended | cause: launch-failed", about: id, from: from)
        try supervisor.line("component ready", about: id, from: ended.number)
        let reply = try supervisor.client().ask(
            .deaths(id: id, number: nil), as: DeathsReply.self, within: .seconds(10))
        let tagged = try #require(reply.deaths.first { $0.fault != nil })
        #expect(tagged.fault?.kind == "core-exception")
        #expect(try supervisor.end() == 0)
    }

    /// What is wrong with the platform as a whole, which no component shows by itself.
    @Test(arguments: [
        ["network-gone"], ["http-error", "status=503"], ["http-delay", "delay=1s"], ["disk-slow", "delay=50ms"],
    ])
    func faultsOfThePlatformAreInForceUntilTheyAreCleared(words: [String]) throws {
        let supervisor = try start()
        let code = try RunningSupervisor.corehost(
            ["fault", "inject"] + words + ["--detach", "--duration", "5m"], ["COREHOST_SOCKET": supervisor.socket]
        ).code
        #expect(code == 0)
        try supervisor.line("fault applied")
        #expect(try supervisor.call("fault.test", "Echo", "echo", [7]) == 7)
        let list = try supervisor.corehost("fault", "list")
        #expect(list.lines.first?.hasPrefix("fault 1: \(words[0]) ") == true, "\(list.lines)")
        #expect(try supervisor.corehost("fault", "clear", "--all").code == 0)
        try supervisor.line("fault undone")
        #expect(try supervisor.call("fault.test", "Echo", "echo", [8]) == 8)
        #expect(try supervisor.end() == 0)
    }

    @Test func theNextStartSaysWhatAKilledSupervisorLeft() throws {
        let supervisor = try start()
        #expect(try inject(supervisor, "pause", "--detach", "--duration", "1h", "--seed", "5").code == 0)
        let child = try #require(try supervisor.row(id).pid)
        let reader = try RunningProgram(
            "corehost", ["events", "-f"], environment: ["COREHOST_SOCKET": supervisor.socket])
        try reader.line { $0.contains("fault-injected") }
        supervisor.program.signal(SIGKILL)
        try reader.line { $0.hasSuffix("has gone") }
        #expect(try reader.waitForExit() == 4)
        _ = try supervisor.program.waitForExit()
        let next = try start(folder: supervisor.folder)
        let line = try next.line("a fault of the last run was undone by its end")
        #expect(line.text.contains("kind: pause") && line.text.contains("seed: 5"), "\(line.text)")
        // Nobody may have waited for it yet.
        #expect(try [nil, "Z"].contains(stateIfThere(of: child)))
        let reply = try next.client().ask(.fault(.list), as: FaultsReply.self, within: .seconds(10))
        #expect(reply.leftBehind.map(\.kind) == ["pause"] && reply.faults.isEmpty)
        #expect(try next.end() == 0)
    }

    @Test(arguments: [
        (["exit", "code=7"], "exited", 7), (["exit", "code=0"], "exited", 0),
        (["uncaught-error", "message=made up"], "uncaught-error", 20),
        (["unhandled-rejection", "message=made up"], "unhandled-rejection", 21),
    ])
    func theProcessDoesItToItself(words: [String], cause: String, code: Int) throws {
        let supervisor = try start()
        let outcome = try RunningSupervisor.corehost(
            ["fault", "inject"] + words + ["--target", "app=fault.test"], ["COREHOST_SOCKET": supervisor.socket])
        #expect(outcome.code == 0, "\(outcome.lines)")
        let ended = try supervisor.line("component ended", about: id)
        try supervisor.line("component ready", about: id, from: ended.number)
        let exit = try supervisor.inspect(id).lastExit
        #expect(exit?.cause == cause && exit?.code == code, "\(exit?.message ?? "")")
        #expect(exit?.fault?.kind == words[0] && exit?.message.contains("; injected fault 1 (") == true)
        if cause != "exited" { #expect(exit?.message.contains("made up") == true) }
        #expect(try supervisor.end() == 0)
    }

    @Test(arguments: ["tight-loop", "stalled-loop", "microtask-loop"])
    func loopsAreUndoneAndNobodyIsHarmed(kind: String) throws {
        let supervisor = try start()
        #expect(try inject(supervisor, kind, "--detach", "--duration", "5m").code == 0)
        let call = Background { try supervisor.call("fault.test", "Echo", "echo", [7]) }
        // Its processor time grows, or it sleeps; either way it answers nothing before the fault is undone.
        let pid = try #require(try supervisor.row(id).pid)
        #expect(try supervisor.corehost("fault", "clear", "--all").code == 0)
        #expect(try call.value() == 7)
        #expect(try supervisor.row(id).pid == pid)
        // The same again, ended by its own time.
        #expect(try inject(supervisor, kind, "for=50ms", "--duration", "300ms").code == 0)
        #expect(try supervisor.call("fault.test", "Echo", "echo", [8]) == 8)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test(arguments: ["tight-loop", "stalled-loop", "microtask-loop"])
    func aLoopIsFoundByTheWatchdog(kind: String) throws {
        let short = Self.quick.replacingOccurrences(
            of: #""soft": "5s", "hard": "60s""#, with: #""soft": "400ms", "hard": "1500ms""#)
        let supervisor = try start(configuration: short)
        #expect(try inject(supervisor, kind, "--detach", "--duration", "5m").code == 0)
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains("cause: tight-loop") || ended.text.contains("cause: stalled-loop"), "\(ended.text)")
        #expect(ended.text.contains("injected fault 1 (\(kind)"), "\(ended.text)")
        try supervisor.line("component ready", about: id, from: ended.number)
        #expect(try supervisor.end() == 0)
    }

    @Test func resourcesAreTakenAndGivenBack() throws {
        let supervisor = try start()
        let pid = try #require(try supervisor.row(id).pid)
        let before = try RunningSupervisor.descriptors(of: Int32(pid))
        #expect(try inject(supervisor, "descriptor-exhaustion", "leave=3", "--detach", "--duration", "5m").code == 0)
        #expect(try supervisor.call("fault.test", "Echo", "echo", [1]) == 1)
        #expect(try RunningSupervisor.descriptors(of: Int32(pid)) > before)
        #expect(try supervisor.corehost("fault", "clear", "1").code == 0)
        #expect(try supervisor.call("fault.test", "Echo", "echo", [2]) == 2)
        #expect(try RunningSupervisor.descriptors(of: Int32(pid)) == before)

        let held = try #require(try supervisor.row(id).memory)
        #expect(
            try inject(supervisor, "memory-growth", "size=96MiB", "rate=1GiB", "--detach", "--duration", "5m").code == 0
        )
        var memory = held
        for _ in 0..<600 where memory < held + 80 << 20 {
            memory = try #require(try supervisor.row(id).memory)
            Thread.sleep(forTimeInterval: 0.05)
        }
        #expect(memory >= held + 80 << 20)
        #expect(try supervisor.corehost("fault", "clear", "2").code == 0)
        for _ in 0..<600 where memory > held + 40 << 20 {
            memory = try #require(try supervisor.row(id).memory)
            Thread.sleep(forTimeInterval: 0.05)
        }
        #expect(memory <= held + 40 << 20)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func startsGoWrongAsOrdered() throws {
        let supervisor = try start()
        for (words, cause, text) in [
            (["spawn-refused", "errno=ENOMEM"], "spawn-failed", "Cannot allocate memory"),
            (["start-crash", "phase=spawned"], "killed", "while starting (spawned)"),
            (["start-crash", "phase=hello"], "killed", "while starting (hello)"),
            (["start-crash", "phase=preloaded"], "killed", "while starting (preloaded)"),
        ] {
            let from = supervisor.program.lines.count
            let outcome = try RunningSupervisor.corehost(
                ["fault", "inject"] + words + ["--target", "entry=a.mjs", "--detach"],
                ["COREHOST_SOCKET": supervisor.socket])
            #expect(outcome.code == 0, "\(outcome.lines)")
            #expect(try supervisor.corehost("kill", id).code == 0)
            let ended = try supervisor.program.line(from: from) {
                $0.contains("] component ended") && $0.contains("injected fault")
            }
            #expect(ended.text.contains("cause: \(cause)") && ended.text.contains(text), "\(ended.text)")
            try supervisor.line("component ready", about: id, from: ended.number)
        }
        let from = supervisor.program.lines.count
        #expect(try inject(supervisor, "slow-start", "delay=1s", "--detach").code == 0)
        #expect(try supervisor.corehost("kill", id).code == 0)
        let ready = try supervisor.line("component ready", about: id, from: from)
        let after = try #require(
            ready.text.components(separatedBy: "after: ").last.flatMap { text in
                Double(text.prefix { $0.isNumber || $0 == "." })
            })
        #expect(after >= 1000, "\(ready.text)")
        #expect(try supervisor.corehost("fault", "list").lines.allSatisfy { !$0.contains("ends in") })
        #expect(try supervisor.end() == 0)
    }

    @Test func badInputIsRefusedByNameAndChangesNothing() throws {
        let supervisor = try start()
        for (words, code, text) in [
            (["inject"], 2, "which kind?"),
            (["inject", "explode", "--target", "all"], 2, "no kind of fault \"explode\""),
            (["inject", "pause"], 2, "needs a target"),
            (["inject", "pause", "--target", "every"], 2, "is none of id="),
            (["inject", "signal", "signal=USR1", "--target", "all"], 2, "belongs to the JavaScript engine"),
            (["inject", "pause", "--target", "all", "--duration", "0"], 2, "no fault is without an end"),
            (["inject", "pause", "--target", "all", "--count", "0"], 2, "no fault is without an end"),
            (["inject", "pause", "--target", "all", "--rate", "inf"], 2, "no fault is without an end"),
            (["inject", "pause", "code=1", "--target", "all"], 2, "has no parameter \"code\""),
            (["inject", "exit", "1", "--target", "all"], 2, "is no NAME=VALUE"),
            (["inject", "pause", "--target", "id=nobody.test/a"], 3, "no component is chosen by id=nobody.test/a"),
            (["clear"], 2, "give the number of one fault, or --all"), (["clear", "7"], 3, "there is no fault 7"),
            (["explode"], 2, "is none of inject, list, clear, kinds"),
        ] as [([String], Int32, String)] {
            let outcome = try RunningSupervisor.corehost(["fault"] + words, ["COREHOST_SOCKET": supervisor.socket])
            #expect(outcome.code == code && outcome.lines.joined().contains(text), "\(words): \(outcome)")
        }
        // What the command would not send.
        let client = try RawClient(supervisor.socket)
        for params in [
            "{}", #"{"kind":7}"#, #"{"kind":"explode","target":"all"}"#, #"{"kind":"pause","target":"all","count":0}"#,
            #"{"kind":"pause","target":"all","duration":-1}"#, #"{"kind":"pause","target":"all","duration":1e300}"#,
            #"{"kind":"pause","target":"all","seed":-1}"#, #"{"kind":"exit","target":"all","parameters":{"code":[]}}"#,
            #"{"kind":"exit","target":"all","parameters":{"code":1e9}}"#, #"{"kind":"pause","target":"all","most":0}"#,
        ] {
            client.send(#"{"jsonrpc":"2.0","id":1,"method":"fault.inject","params":\#(params)}"#)
            #expect(try #require(client.line())["error"]?["code"] == -32602, "\(params)")
        }
        #expect(try inject(supervisor, "pause", "--detach").code == 0)
        for kind in ["pause", "exit", "tight-loop"] {
            let outcome = try inject(supervisor, kind)
            #expect(outcome.code == 6 && outcome.lines.joined().contains("fault 1 (pause) on \(id)"), "\(outcome)")
        }
        #expect(try supervisor.corehost("fault", "clear", "--all").code == 0)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }
}
