import Control
import Foundation
import TestSupport
import Testing

private let id = "talk.test/a.mjs"

/// Clients of the control socket that misbehave; the supervisor and other clients go on.
@Suite struct BadInputClientTests {
    private func start() throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "talk.test",
                [
                    "a.mjs": """
                    const line = 'x'.repeat(1000);
                    w3nRPC.serve('Talk', { talk: async lines => {
                        for (let i = 0; i < lines; i += 1) { console.log(`${i} ${line}`); }
                        return lines;
                    } });
                    """
                ], services: ["a.mjs": ["Talk"]]))
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    @Test func garbageIsAnsweredInWords() throws {
        let supervisor = try start()
        let before = try RunningSupervisor.descriptors(of: supervisor.program.pid)
        for (line, code, message) in [
            ("hello", -32700, "not JSON at byte 0: "), ("[1]", -32600, "batches are not served"),
            (#"{"id": 1, "method": "ps"}"#, -32600, "\"jsonrpc\" must be \"2.0\""),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "pss"}"#, -32601, "there is no method \"pss\""),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "stop", "params": {"id": 7}}"#, -32602, "\"id\""),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "call", "params": {"app": "a", "service": "s", "method": "m", "#
                    + #""arguments": 1}}"#, -32602, "\"arguments\""
            ),
            (String(repeating: "[", count: 5000), -32700, "not JSON at byte 128: nested deeper than 128"),
        ] as [(String, Int64, String)] {
            let client = try RawClient(supervisor.socket)
            client.send(line)
            let error = try #require(client.line()?["error"])
            #expect(error["code"] == .int(code), "\(line.prefix(80)): \(error)")
            #expect(error["message"]?.string?.contains(message) == true, "\(line.prefix(80)): \(error)")
            client.send(#"{"jsonrpc": "2.0", "id": 2, "method": "version"}"#)
            #expect(client.line()?["result"]?["version"] != nil)
        }
        let long = try RawClient(supervisor.socket)
        long.send(bytes: Array(repeating: UInt8(ascii: " "), count: 2 << 20))
        #expect(long.line()?["error"]?["message"]?.string == "a line may have 1048576 bytes at most")
        #expect(long.line() == nil)
        #expect(try supervisor.call("talk.test", "Talk", "talk", [1]) == 1)
        try waitForDescriptors(before, supervisor)
        #expect(try supervisor.end() == 0)
    }

    @Test func aClientThatLeavesInTheMiddle() throws {
        let supervisor = try start()
        let before = try RunningSupervisor.descriptors(of: supervisor.program.pid)
        for text in [
            "", "{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth",
            "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ps\"}\n",
            "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"logs\", \"params\": {\"follow\": true}}\n",
            "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"restart\", \"params\": {\"id\": \"talk\"}}\n",
        ] {
            let client = try RawClient(supervisor.socket)
            client.send(bytes: Array(text.utf8))
        }
        try supervisor.line("audit: restart: the caller left before the answer")
        let again = try supervisor.line(
            "component spawned", about: id, from: 1 + (supervisor.line("audit: restart: asked").number))
        try supervisor.line("component ready", about: id, from: again.number)
        #expect(try supervisor.call("talk.test", "Talk", "talk", [1]) == 1)
        try waitForDescriptors(before, supervisor)
        #expect(try supervisor.end() == 0)
    }

    @Test func aFollowerThatNeverReadsMissesLinesAndTheOthersAreServed() throws {
        let supervisor = try start()
        let deaf = try RawClient(supervisor.socket)
        deaf.send(#"{"jsonrpc": "2.0", "id": 1, "method": "logs", "params": {"follow": true}}"#)
        let reader = try RunningProgram(
            "corehost", ["logs", "-f"], environment: ["COREHOST_SOCKET": supervisor.socket])
        try reader.line { $0.contains("component ready") }
        var read = 0
        for _ in 1...10 {
            #expect(try supervisor.call("talk.test", "Talk", "talk", [1000]) == 1000)
            read = 1 + (try reader.line(from: read) { $0.contains("] 999 x") }.number)
        }
        // It is told what it missed, once it reads, and is served again.
        #expect(deaf.line()?["result"] != nil)
        var (shown, missed) = (0, 0)
        while missed == 0 {
            let item = try #require(deaf.line()?["params"]?["item"])
            missed = item["fields"]?["lines"]?.string.flatMap { Int($0) } ?? 0
            if item["text"]?.string?.hasSuffix("x") == true { shown += 1 }
        }
        #expect(shown > 500 && shown + missed >= 10_000, "\(shown) shown, \(missed) missed")
        #expect(try supervisor.call("talk.test", "Talk", "talk", [1]) == 1)
        while let item = deaf.line()?["params"]?["item"], item["text"]?.string?.hasPrefix("0 x") != true {}
        #expect(try supervisor.end() == 0)
        #expect(try reader.waitForExit() == 0)
    }

    private func waitForDescriptors(_ count: Int, _ supervisor: RunningSupervisor) throws {
        let limit = ContinuousClock.now + .seconds(10)
        // The supervisor sees the end of a connection in its own time, and says nothing of it.
        while try RunningSupervisor.descriptors(of: supervisor.program.pid) != count, ContinuousClock.now < limit {
            usleep(1000)
        }
        #expect(try RunningSupervisor.descriptors(of: supervisor.program.pid) == count)
    }
}
