import Control
import Foundation
import TestSupport
import Testing

/// Components, and a core, that give no turn.
@Suite struct HangTests {
    private static let short = """
        {"core": {"heartbeat": {"interval": "100ms", "soft": "300ms", "hard": "1500ms"}},
         "components": {"*": {"heartbeat": {"interval": "100ms", "soft": "400ms", "hard": "1200ms"}}}}
        """
    private static let id = "hang.test/a.mjs"
    private static let code = """
        function spin() { for (;;); }
        w3nRPC.serve('Hang', {
            spin: async () => spin(),
            compute: async millis => { for (const end = Date.now() + millis; Date.now() < end;); return 'done'; },
            microtasks: async () => { const next = () => Promise.resolve().then(next); next(); },
            nothing: async () => 'nothing',
        });
        """

    private func supervisor(hard: String = "1200ms") throws -> RunningSupervisor {
        let app = SmallApps.app("hang.test", ["a.mjs": Self.code], services: ["a.mjs": ["Hang"]])
        let supervisor = try RunningSupervisor(
            apps: app, configuration: Self.short.replacingOccurrences(of: "1200ms", with: hard))
        try supervisor.line("component ready", about: Self.id)
        return supervisor
    }

    /// Calls without waiting for the answer, which never comes or is the exception of the component's end.
    private func begin(_ method: String, _ supervisor: RunningSupervisor) -> Background<Void> {
        Background { _ = try? supervisor.call("hang.test", "Hang", method) }
    }

    @Test func aTightLoopIsReportedWithItsStackThenEnded() throws {
        let supervisor = try supervisor()
        _ = begin("spin", supervisor)
        try supervisor.line("component computes without giving a turn", about: Self.id)
        try supervisor.line("component exited", about: Self.id)
        let ended = try supervisor.line("component ended", about: Self.id)
        #expect(ended.text.contains("tight-loop"), "\(ended.text)")
        try supervisor.line("component ready", about: Self.id, from: ended.number)
        let last = try supervisor.inspect(Self.id).lastExit
        #expect(last?.cause == "tight-loop")
        #expect(
            last?.message.hasSuffix(" in spin() at hang.test/a.mjs:1") == true, "\(last?.message ?? "")")
        let log = try supervisor.corehost("logs", Self.id).lines.joined(separator: "\n")
        #expect(log.contains("spin() at hang.test/a.mjs:1"), "\(log)")
        #expect(try supervisor.end() == 0)
    }

    @Test func anEndlessChainOfMicrotasksIsEnded() throws {
        let supervisor = try supervisor()
        _ = begin("microtasks", supervisor)
        let ended = try supervisor.line("component ended", about: Self.id)
        #expect(ended.text.contains("stalled-loop") || ended.text.contains("tight-loop"), "\(ended.text)")
        try supervisor.line("component ready", about: Self.id, from: ended.number)
        #expect(try supervisor.end() == 0)
    }

    @Test func aStoppedProcessIsAStalledLoop() throws {
        let supervisor = try supervisor()
        kill(try supervisor.pid(Self.id), SIGSTOP)
        _ = begin("nothing", supervisor)
        try supervisor.line("component gives no turn", about: Self.id)
        let ended = try supervisor.line("component ended", about: Self.id)
        #expect(ended.text.contains("stalled-loop") && ended.text.contains("is stopped"), "\(ended.text)")
        try supervisor.line("component ready", about: Self.id, from: ended.number)
        #expect(try supervisor.end() == 0)
    }

    @Test func aComponentThatComesBackInTimeIsLeftAlone() throws {
        let supervisor = try supervisor(hard: "20s")
        let pid = try supervisor.pid(Self.id)
        #expect(try supervisor.call("hang.test", "Hang", "compute", [3000]) == "done")
        try supervisor.line("component computes without giving a turn", about: Self.id)
        kill(pid, SIGSTOP)
        let call = Background { try supervisor.call("hang.test", "Hang", "nothing") }
        try supervisor.line("component gives no turn", about: Self.id)
        kill(pid, SIGCONT)
        try supervisor.line("component gives turns again", about: Self.id)
        #expect(try call.value() == "nothing")
        #expect(try supervisor.pid(Self.id) == pid)
        #expect(try supervisor.end() == 0)
    }

    @Test func aSupervisorThatWasStoppedBlamesNobody() throws {
        let supervisor = try supervisor()
        let pid = try supervisor.pid(Self.id)
        let pids = [supervisor.program.pid, pid]
        _ = try supervisor.call("hang.test", "Hang", "nothing")
        for pid in pids { kill(pid, SIGSTOP) }
        // Longer than all the limits: time itself is what is tested.
        usleep(3_000_000)
        for pid in pids { kill(pid, SIGCONT) }
        #expect(try supervisor.call("hang.test", "Hang", "compute", [200]) == "done")
        #expect(try supervisor.pid(Self.id) == pid)
        #expect(try supervisor.end() == 0)
    }

    @Test func aCoreThatComputesTooLongEndsTheSupervisor() throws {
        let probe = try CoreProbe()
        let app = SmallApps.app("hang.test", ["a.mjs": "console.log('here');"], caps: "{}")
        let supervisor = try RunningSupervisor(apps: app, configuration: Self.short, resources: probe.path)
        try supervisor.line("component ready", about: Self.id)
        let children = try RunningSupervisor.children(of: supervisor.program.pid)
        _ = try supervisor.call(CoreProbe.domain, "probe", "spin", [700])
        try supervisor.program.line { $0.contains("the core gives turns again") }
        _ = Background { _ = try? supervisor.call(CoreProbe.domain, "probe", "spin", [60000]) }
        try supervisor.program.line { $0.contains("the core's call is at") }
        #expect(try supervisor.program.waitForExit() == 14)
        #expect(supervisor.program.lines.contains { $0.contains("the core has given no turn for 1.5") })
        try supervisor.checkNothingIsLeft(children)
    }
}
