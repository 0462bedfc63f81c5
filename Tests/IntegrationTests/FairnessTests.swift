import Control
import Foundation
import TestSupport
import Testing

/// One component at full rate beside another.
@Suite struct FairnessTests {
    /// 5 ms at the 99th percentile is the goal on a quiet machine; here one second bounds each round trip.
    @Test(arguments: ["calls", "values", "lines"]) func aFloodDoesNotHoldUpOthers(kind: String) throws {
        let caps = #"{"otherAppsRPC": [{"app": "sink.test", "service": "Sink"}]}"#
        let supervisor = try RunningSupervisor(
            apps: SmallApps.together(
                SmallApps.app("flood.test", ["f.mjs": Self.flood(kind)], startup: [], caps: caps),
                SmallApps.app("sink.test", ["s.mjs": Self.sink], services: ["s.mjs": ["Sink"]]),
                SmallApps.app("quiet.test", ["q.mjs": SmallApps.echo], services: ["q.mjs": ["Echo"]])))
        try supervisor.line("component ready", about: "quiet.test/q.mjs")
        try supervisor.line("component ready", about: "sink.test/s.mjs")
        _ = try supervisor.ask(.start(id: "flood.test/f.mjs"))
        try supervisor.console("flood flows", of: "flood.test/f.mjs")
        let client = try supervisor.client()
        var times: [Duration] = []
        for number in 0..<50 {
            let start = ContinuousClock.now
            let reply = try client.ask(
                .call(app: "quiet.test", service: "Echo", method: "echo", arguments: [JSONValue(number)]),
                as: CallReply.self, within: .seconds(20))
            times.append(ContinuousClock.now - start)
            #expect(reply.result == JSONValue(number))
        }
        times.sort()
        print("round trip beside a flood of \(kind): median \(times[25]), worst \(times[49])")
        #expect(times[25] < .seconds(1))
        let rows = try supervisor.ps()
        #expect(rows.allSatisfy { $0.state == "running" && $0.generation == 1 })
        #expect(try supervisor.ask(.stop(id: "flood.test/f.mjs")).state == "down")
        #expect(try supervisor.end() == 0)
    }

    /// A component whose timers are always due still talks and listens.
    @Test func aComponentWithATimerThatIsAlwaysDueAnswersAndStops() throws {
        let code = "const again = () => { setTimeout(again, 0); }; again();\n\(SmallApps.echo)"
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("timer.test", ["t.mjs": code], services: ["t.mjs": ["Echo"]]))
        try supervisor.line("component ready", about: "timer.test/t.mjs")
        #expect(try supervisor.call("timer.test", "Echo", "echo", [7]) == 7)
        #expect(try supervisor.end() == 0)
        let exited = try supervisor.line("component exited", about: "timer.test/t.mjs")
        #expect(exited.text.contains("cause: exit code 0"), "\(exited.text)")
    }

    private static let sink = """
        w3nRPC.serve('Sink', { take: async () => {} }, { observables: {
            values(observer) {
                let isOn = true;
                const send = () => { if (isOn) {
                    for (let i = 0; i < 200; i += 1) { observer.next(i); }
                    setTimeout(send, 0);
                } };
                send();
                return () => { isOn = false; };
            },
        } });
        """

    private static func flood(_ kind: String) -> String {
        switch kind {
        case "calls":
            """
            const sink = w3nRPC.connect(w3n.rpc.otherAppsRPC('sink.test', 'Sink'));
            const flow = async () => { for (;;) { await sink.call('take', 1); } };
            for (let i = 0; i < 200; i += 1) { flow(); }
            await sink.call('take', 1);
            console.log('flood flows');
            """
        case "values":
            """
            const sink = w3nRPC.connect(w3n.rpc.otherAppsRPC('sink.test', 'Sink'));
            let seen = 0;
            sink.observe('values', { next() { if (++seen === 1000) { console.log('flood flows'); } } });
            """
        default:
            """
            console.log('flood flows');
            const flow = () => {
                for (let i = 0; i < 200; i += 1) { console.log('a line like any other, ' + i); }
                setTimeout(flow, 0);
            };
            setTimeout(flow, 0);
            """
        }
    }
}
