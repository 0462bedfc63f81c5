import Control
import Foundation
import TestSupport
import Testing

/// What a component tells of itself by `w3nHost`, and what follows when it rests.
@Suite struct HostTests {
    private static let id = "host.test/a.mjs"

    private func supervisor(_ code: String, rules: String = "") throws -> RunningSupervisor {
        try RunningSupervisor(
            apps: SmallApps.app("host.test", ["a.mjs": code], services: ["a.mjs": ["Host"]]),
            configuration: "{\"components\": {\"*\": {\(rules)}}}")
    }

    @Test func aStatusTextIsShownBoundedAndOnOneLine() throws {
        let supervisor = try supervisor(
            """
            w3nHost.status('starts');
            w3nRPC.serve('Host', { say: async text => { w3nHost.status(text); } });
            """)
        try supervisor.line("component ready", about: Self.id)
        try supervisor.wait(for: "its status") { try supervisor.row(Self.id).status == "starts" }
        for n in 0..<50 { _ = try supervisor.call("host.test", "Host", "say", [.string("n\(n)")]) }
        try supervisor.wait(for: "its newest status") { try supervisor.row(Self.id).status == "n49" }
        #expect(try supervisor.corehost("ps").lines.first?.hasSuffix("STATUS") == true)
        _ = try supervisor.call(
            "host.test", "Host", "say", [.string("a\u{1b}[31m\nb" + String(repeating: "x", count: 5000))])
        try supervisor.wait(for: "its long status") {
            try supervisor.row(Self.id).status?.hasPrefix("a [31m bxx") == true
        }
        #expect(try supervisor.row(Self.id).status?.utf8.count ?? 999 <= 256)
        #expect(try supervisor.corehost("kill", Self.id).code == 0)
        let again = try supervisor.line("component exited", about: Self.id)
        try supervisor.line("component ready", about: Self.id, from: again.number)
        try supervisor.wait(for: "its status anew") { try supervisor.row(Self.id).status == "starts" }
        #expect(try supervisor.end() == 0)
    }

    @Test func aStartThatIsExtendedIsReadyWhenTheComponentSaysSo() throws {
        let supervisor = try supervisor(
            """
            w3nHost.extendStart(20000);
            setTimeout(() => { console.log('now'); w3nHost.ready(); }, 1500);
            await new Promise(() => {});
            """, rules: #""startTimeout": "1s""#)
        try supervisor.line("component asks for time to start", about: Self.id)
        try supervisor.line("component ready", about: Self.id)
        let log = try supervisor.corehost("logs", Self.id).lines.joined(separator: "\n")
        #expect(log.contains("now"), "\(log)")
        #expect(try supervisor.row(Self.id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func aStartThatIsExtendedIsReadyAtTheEndOfItsText() throws {
        let supervisor = try supervisor(
            """
            w3nHost.extendStart(20000);
            await new Promise(done => setTimeout(done, 1500));
            console.log('at the end');
            """, rules: #""startTimeout": "1s""#)
        try supervisor.line("component ready", about: Self.id)
        let log = try supervisor.corehost("logs", Self.id).lines.joined(separator: "\n")
        #expect(log.contains("at the end"), "\(log)")
        #expect(try supervisor.end() == 0)
    }

    @Test func whoDoesNotBecomeReadyInTheTimeThatItAskedForHasTimedOut() throws {
        let supervisor = try supervisor(
            "w3nHost.extendStart(1700); await new Promise(() => {});", rules: #""startTimeout": "1s""#)
        let ended = try supervisor.line("component ended", about: Self.id)
        #expect(ended.text.contains("start-timeout") && ended.text.contains("not ready 1."), "\(ended.text)")
        #expect(try supervisor.end() == 0)
    }

    @Test(arguments: [
        "w3nHost.extendStart(0)", "w3nHost.extendStart('soon')", "w3nHost.extendStart(NaN)", "w3nHost.extendStart(1e9)",
    ])
    func oddTimesAreRefused(call: String) throws {
        let supervisor = try supervisor("try { \(call); } catch (error) { console.log('refused', error.badArgument); }")
        try supervisor.line("component ready", about: Self.id)
        let log = try supervisor.corehost("logs", Self.id).lines.joined(separator: "\n")
        #expect(log.contains("refused true"), "\(log)")
        #expect(try supervisor.end() == 0)
    }

    @Test func oneThatHasBecomeIdleIsCollectedOnceAndShowsItsFigures() throws {
        let supervisor = try supervisor(
            "w3nRPC.serve('Host', { work: async () => { for (let n = 0; n < 1e5; n++) { ({ n }); } return 1; } });",
            rules: #""memory": {"collectAfter": "1s"}, "heartbeat": {"interval": "100ms"}"#)
        try supervisor.line("component ready", about: Self.id)
        let collections = {
            try supervisor.corehost("logs", Self.id, "--lines", "500").lines.count {
                $0.contains("idle component was collected")
            }
        }
        let settled = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < settled { _ = try supervisor.call("host.test", "Host", "work") }
        try supervisor.wait(for: "its collection") { try collections() == 1 }
        let inspect = try supervisor.inspect(Self.id)
        #expect(inspect.memory?.heap ?? 0 > 0 && inspect.memory?.objects ?? 0 > 0)
        // Twice the time that it takes to be idle: time itself is what is tested.
        usleep(2_000_000)
        #expect(try collections() == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func codeThatOnlyTheStartRanIsNoLongerMapped() throws {
        let supervisor = try supervisor("w3nRPC.serve('Host', { work: async () => 7 });")
        try supervisor.line("component ready", about: Self.id)
        let pid = try #require(try supervisor.ps().first?.pid)
        let mapped = {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(Int(line.filter(\.isNumber)))
        }
        let atReady = try mapped()
        try supervisor.wait(for: "half of its code to go") { try mapped() < atReady / 2 }
        #expect(try supervisor.call("host.test", "Host", "work") == .int(7))
        #expect(try supervisor.end() == 0)
    }

    @Test func niceAndEngineOptionsReachTheProcess() throws {
        let supervisor = try supervisor("0", rules: #""nice": 7, "engine": {"JSC_useFTLJIT": false}"#)
        try supervisor.line("component ready", about: Self.id)
        let pid = try supervisor.pid(Self.id)
        #expect(getpriority(Int32(PRIO_PROCESS.rawValue), id_t(pid)) == 7)
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
            #expect(getpriority(Int32(PRIO_PROCESS.rawValue), id_t(thread) ?? 0) == 7)
        }
        if let group = try? String(contentsOfFile: "/proc/\(pid)/autogroup", encoding: .utf8) {
            #expect(group.hasSuffix("nice 7\n"), "\(group)")
        }
        let environment = try String(contentsOfFile: "/proc/\(pid)/environ", encoding: .utf8).split(separator: "\0")
        #expect(environment.contains("JSC_useFTLJIT=false") && environment.contains("GIGACAGE_ENABLED=0"))
        let log = try supervisor.corehost("logs", Self.id).lines
        #expect(!log.contains { $0.contains("gigacage") || $0.contains("nice") }, "\(log)")
        #expect(try supervisor.end() == 0)
    }
}
