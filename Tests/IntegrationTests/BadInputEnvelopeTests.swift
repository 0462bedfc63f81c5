import Control
import Foundation
import TestSupport
import Testing

private let id = "hostile.test/a.mjs"

/// Envelopes that no honest client makes, from a component whose platform scripts were tampered with. What exactly is
/// answered to which is in the tests of the scripts; here: the whole platform stays, and each end has its verdict.
@Suite struct BadInputEnvelopeTests {
    /// Gives components `hostile(bytes)`, and what comes back in `hostileReplies`.
    private static let tampered = (
        text: "let fromCore;",
        replacement: """
        const replies = [];
        Object.assign(globalThis, { hostile: send, hostileReplies: replies, envelope: msgProtoType });
        let fromCore;
        """
    )
    private static let code = """
        const receive = globalThis.__portRecv_core;
        globalThis.__portRecv_core = bytes => { hostileReplies.push(envelope.unpack(bytes)); receive(bytes); };
        const text = bytes => new TextDecoder().decode(bytes);
        async function reply(num) {
            for (;;) {
                const found = hostileReplies.find(({ headers }) => headers.fnCallNum?.value === num);
                if (found) { return found; }
                await new Promise(resolve => setTimeout(resolve, 1));
            }
        }
        let last = 1000;
        w3nRPC.serve('Hostile', {
            raw: async bytes => { hostile(Uint8Array.from(bytes)); },
            ask: async (msgType, path, body) => {
                last += 1;
                hostile(envelope.pack({ headers: { msgType, fnCallNum: { value: last }, path },
                    ...(body ? { body: { value: Uint8Array.from(body) } } : {}) }));
                const { headers, body: answer } = await reply(last);
                const said = answer ? text(answer.value) : '';
                return [headers.msgType, said.slice(said.indexOf('{'))];
            },
            nested: async depth => {
                const json = new TextEncoder().encode('['.repeat(depth) + ']'.repeat(depth));
                const length = n => (n < 128 ? [n] : [n & 127 | 128, n >> 7]);
                const value = [0x0a, ...length(json.length), ...json];
                return [0x0a, ...length(value.length), ...value];
            },
        });
        """

    private func start() throws -> RunningSupervisor {
        let folder = try TemporaryFolder()
        let resources = try ChangedResources.copy(to: folder, ["js/app-preload.js": Self.tampered])
        let apps = SmallApps.app("hostile.test", ["a.mjs": Self.code], services: ["a.mjs": ["Hostile"]])
            .merging(SmallApps.app("good.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]])) { one, _ in
                one
            }
        let supervisor = try RunningSupervisor(
            apps: apps, configuration: #"{"components": {"*": {"backoff": {"first": "10ms"}}}}"#,
            resources: resources, folder: folder)
        for id in [id, "good.test/a.mjs"] { try supervisor.line("component ready", about: id) }
        return supervisor
    }

    @Test func whatCanBeAnsweredIsAnIpcException() throws {
        let supervisor = try start()
        let pid = try supervisor.row(id).pid
        let thousandDeep = try supervisor.call("hostile.test", "Hostile", "nested", [1000])
        // A value sequence of one reference: type "FS", path of one name that nobody gave.
        let forged: JSONValue = .array(
            [0x0a, 11, 0x2a, 9, 0x12, 7, 0x0a, 2, 70, 83, 0x12, 1, 120].map { .int(Int64($0)) })
        let cases: [(type: JSONValue, path: JSONValue, body: JSONValue, flag: String)] = [
            ("explode", ["w3n"], .null, "invalidType"), ("start", ["w3n", "none"], .null, "callFnNotFound"),
            ("start", ["none", "none"], .null, "objectNotFound"),
            ("start", ["w3n", "__proto__", "toString"], .null, "objectNotFound"),
            ("start", ["constructor", "constructor"], .null, "objectNotFound"),
            ("start", ["w3n", "log"], thousandDeep, "badReply"), ("start", ["w3n", "log"], forged, "invalidReference"),
        ]
        for (type, path, body, flag) in cases {
            let answer = try supervisor.call("hostile.test", "Hostile", "ask", [type, path, body])
            #expect(answer.array?.first == "error", "\(path): \(answer)")
            let exception = try JSONParser.parse(answer.array?.last?.string ?? "")
            #expect(exception["type"] == "ipc" && exception[flag] == true, "\(path): \(exception)")
        }
        #expect(try supervisor.row(id).pid == pid)
        #expect(try supervisor.call("good.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func whatCannotBeAnsweredEndsTheComponent() throws {
        let supervisor = try start()
        let good = try supervisor.row("good.test/a.mjs").pid
        var from = 0
        for bytes in [[], [0xFF, 0xFF], [0x0a, 0x05], Array("GET / HTTP/1.1".utf8)] as [[UInt8]] {
            let argument = JSONValue.array(bytes.map { .int(Int64($0)) })
            let error = try #require(throws: ControlError.self) {
                // The reply may still get out; nothing after it does.
                _ = try supervisor.call("hostile.test", "Hostile", "raw", [argument])
                _ = try supervisor.call("hostile.test", "Hostile", "never")
            }
            #expect(error.exitCode == .callRejected)
            let ended = try supervisor.line("component ended", about: id, from: from)
            #expect(ended.text.contains("cause: protocol-violation | "), "\(ended.text)")
            #expect(ended.text.contains("reason: broke the protocol: "), "\(ended.text)")
            from = try supervisor.line("component ready", about: id, from: ended.number).number
        }
        #expect(try supervisor.row("good.test/a.mjs").pid == good)
        #expect(try supervisor.call("good.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }
}
