import Control
import Foundation
import TestSupport
import Testing

/// The supervision plane while the core's JavaScript computes.
@Suite struct BusyCoreTests {
    @Test func exitsAreSeenAndCommandsAnsweredWhileTheCoreIsBusy() throws {
        let entries = (0..<5).map { "c\($0).mjs" }
        let code = Dictionary(uniqueKeysWithValues: entries.map { ($0, "console.log('here');") })
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("busy.test", code, caps: "{}"), resources: probe.path)
        let ids = entries.map { "busy.test/\($0)" }
        for id in ids { try supervisor.line("component ready", about: id) }
        let pids = try Dictionary(uniqueKeysWithValues: ids.map { ($0, try supervisor.pid($0)) })
        let spin = Background { try supervisor.call(CoreProbe.domain, "probe", "spin", [3000]) }
        // Its own line is on its way to the log while it computes.
        try supervisor.line("the core is busy")
        var times: [Duration] = []
        for id in ids.dropLast() {
            let start = ContinuousClock.now
            kill(try #require(pids[id]), SIGKILL)
            try supervisor.line("component exited", about: id)
            times.append(ContinuousClock.now - start)
        }
        let stopping = Background { try supervisor.ask(.stop(id: ids[4])) }
        try supervisor.wait(for: "stop taken up") { try supervisor.row(ids[4]).state == "closing" }
        let status = try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(3))
        let logs = try supervisor.client().ask(
            .logs(id: nil, lines: 5, follow: false), as: LogsReply.self, within: .seconds(3))
        #expect(status.state == "running" && logs.lines.count == 5)
        #expect(!spin.isDone, "all of this was to happen while the core was busy")
        #expect(supervisor.program.lines.allSatisfy { !$0.contains("] core told") })
        times.sort()
        print("kill to exit seen, core busy: \(times)")
        #expect(times[1] < .milliseconds(100))
        _ = try spin.value()
        for id in ids.dropLast() {
            let told = try supervisor.line("core told", about: id)
            try supervisor.line("component ready", about: id, from: told.number)
        }
        #expect(try stopping.value().state == "down")
        #expect(try supervisor.end() == 0)
    }
}
