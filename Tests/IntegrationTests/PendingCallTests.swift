import Control
import Foundation
import TestSupport
import Testing

/// What callers see of a component's end.
@Suite struct PendingCallTests {
    /// The goal is 100 ms from the kill to the rejection. Here the median of nine must keep it, and each comes within
    /// seconds: single ones wait for a processor on a busy machine.
    @Test func pendingCallsOfAKilledComponentAreRejectedAndOthersGoOn() throws {
        let apps = SmallApps.together(
            SmallApps.app("victim.test", ["v.mjs": SmallApps.echo], services: ["v.mjs": ["Echo"]]),
            SmallApps.app("other.test", ["o.mjs": SmallApps.echo], services: ["o.mjs": ["Echo"]]))
        let supervisor = try RunningSupervisor(
            apps: apps, configuration: #"{"components": {"victim.test": {"backoff": {"first": "1ms", "max": "1ms"}}}}"#)
        let victim = "victim.test/v.mjs"
        try supervisor.line("component ready", about: "other.test/o.mjs")
        let other = Background { try supervisor.call("other.test", "Echo", "hang", ["other"]) }
        try supervisor.console("hangs for other", of: "other.test/o.mjs")
        var from = 0
        var times: [Duration] = []
        for round in 0..<9 {
            from = try supervisor.line("component ready", about: victim, from: from).number
            let pid = try supervisor.pid(victim)
            let call = Background { () throws -> (JSONValue?, ContinuousClock.Instant) in
                do {
                    _ = try supervisor.call("victim.test", "Echo", "hang", [.string("round \(round)")])
                    return (nil, .now)
                } catch let error as ControlError {
                    return (error.data["exception"], .now)
                }
            }
            try supervisor.console("hangs for round \(round)", of: victim)
            from = supervisor.program.lines.count
            let start = ContinuousClock.now
            kill(pid, SIGKILL)
            let (exception, end) = try call.value()
            #expect(exception?["connectionClosed"] == true && exception?["type"] == "rpc")
            times.append(end - start)
            // Another's calls pass meanwhile.
            #expect(try supervisor.call("other.test", "Echo", "echo", [.string("\(round)")]) == .string("\(round)"))
        }
        times.sort()
        print("kill to rejection: median \(times[4]), worst \(times[8])")
        #expect(times[4] < .milliseconds(100))
        #expect(times[8] < .seconds(5))
        #expect(!other.isDone)
        _ = try supervisor.call("other.test", "Echo", "release", ["at last"])
        #expect(try other.value() == "at last")
        #expect(try supervisor.end() == 0)
    }

    @Test func sixtyFourMebibytesArriveAlthoughTheSenderClosesAtOnce() throws {
        let apps = SmallApps.together(
            SmallApps.app(
                "count.test", ["count.mjs": Self.counter], services: ["count.mjs": ["Count"]], caps: "{}"),
            SmallApps.app(
                "send.test", ["send.mjs": Self.sender], startup: [],
                caps:
                    #"{"otherAppsRPC": [{"app": "count.test", "service": "Count"}]}"#))
        let supervisor = try RunningSupervisor(apps: apps)
        try supervisor.line("component ready", about: "count.test/count.mjs")
        _ = try supervisor.ask(.start(id: "send.test/send.mjs"))
        let ended = try supervisor.line("component ended", about: "send.test/send.mjs", within: .seconds(60))
        #expect(ended.text.contains("cause: closed-itself"))
        try supervisor.console("counted 64 messages, \(64 << 20) bytes, 0 wrong", of: "count.test/count.mjs")
        let row = try supervisor.row("send.test/send.mjs")
        #expect(row.state == "down")
        #expect(try supervisor.end() == 0)
    }

    private static let counter = """
        w3n.rpc.exposeService('Count', { next(connection) {
            let messages = 0, bytes = 0, wrong = 0;
            connection.watch({
                next({ data }) {
                    const content = data.bytes;
                    if (content[0] !== messages || content[content.length - 1] !== messages) { wrong += 1; }
                    messages += 1;
                    bytes += content.length;
                },
                complete() { console.log(`counted ${messages} messages, ${bytes} bytes, ${wrong} wrong`); },
            });
        } });
        """

    private static let sender = """
        const connection = await w3n.rpc.otherAppsRPC('count.test', 'Count');
        for (let i = 0; i < 64; i += 1) {
            connection.makeRequestReplyCall('add', { bytes: new Uint8Array(1 << 20).fill(i) }).catch(() => {});
        }
        w3n.closeSelf();
        """
}
