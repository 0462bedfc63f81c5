import Glibc
import Logging
import Secrets
import TestSupport
import Testing

@testable import Control

@Suite struct ProtocolTests {
    @Test func answersARequest() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            let reply = try client.ask(.ps, as: PsReply.self, within: .seconds(10))
            #expect(reply == PsReply(components: [FakeService.row]))
            #expect(client.server?.pid == getpid())
        }
    }

    @Test(arguments: [
        ("garbage", -32700, "not JSON at byte 0: no value begins like this"),
        ("[]", -32600, "batches are not served; send one request per line"),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ps"}]"#, -32600, "batches are not served; send one request per line"),
        ("1", -32600, "a request is a JSON object"),
        (#"{"id":1,"method":"ps"}"#, -32600, #""jsonrpc" must be "2.0""#),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600, #""method" must be a string"#),
        (#"{"jsonrpc":"2.0","id":{},"method":"ps"}"#, -32600, #""id" must be a string, a number or null"#),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"pss"}"#, -32601,
            #"there is no method "pss"; methods are ps, inspect, deaths, why, logs, events, audit, doctor, eval, start, "#
                + "stop, restart, kill, call, tasks, wake, status, shutdown, reload, version, users, signup, login, logout, "
                + "autologin, open-url, apps, fault.inject, fault.list, fault.clear"
        ),
        (#"{"jsonrpc":"2.0","id":1,"method":"ps","params":[]}"#, -32602, #"ps: "params" must be an object"#),
        (#"{"jsonrpc":"2.0","id":1,"method":"stop"}"#, -32602, #"stop: "id" must be a string, not null"#),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"logs","params":{"lines":1.5}}"#, -32602,
            #"logs: "lines" must be a whole number, not 1.5"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"kill","params":{"id":"a","signal":"SIGSEGV"}}"#, -32602,
            #"kill: "signal" must be the name of a signal, none of the engine's (SIGUSR1, SIGSEGV, SIGBUS), not "#
                + #""SIGSEGV""#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"inspect","params":{"id":"b"}}"#, -32003,
            #"no component is called "b"; `corehost ps` lists them"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"call","params":{"app":"a","service":"S","method":"forgotten"}}"#,
            -32001,
            "the supervisor gave no answer to this request"
        ),
    ])
    func answersBadRequestsAndGoesOn(_ line: String, _ code: Int, _ message: String) throws {
        try withServer { server in
            let client = try RawClient(server.path)
            let reply = try client.ask(line)
            #expect(reply?["error"]?["code"] == JSONValue(code))
            #expect(reply?["error"]?["message"] == .string(message))
            #expect(reply?["jsonrpc"] == "2.0")
            #expect(try client.ask(#"{"jsonrpc":"2.0","id":"x","method":"version"}"#)?["id"] == "x")
        }
    }

    @Test func newsOfALoginComeBeforeItsAnswer() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            var news: [LoginNews] = []
            let request = ControlRequest.login(address: "a@b", password: try Secret("right"))
            let reply = try client.ask(request, as: LoginReply.self, within: .seconds(10)) { news.append($0) }
            #expect(reply == LoginReply(user: "a@b", login: "logged-in"))
            #expect(news == [LoginNews(percent: 50), LoginNews(message: "storage opens")])
        }
    }

    /// Whatever stands in a password's place is in no error and no line of the audit.
    @Test(arguments: [
        #""secret 1""#, "4711", #"["secret 2"]"#, #"{"secret": 3}"#, "true",
        "\"\(String(repeating: "secret", count: 300))\"",
    ])
    func passwordsAreInNoAnswerAndNoAudit(_ password: String) throws {
        try withServer { server in
            let client = try RawClient(server.path)
            client.write(
                #"{"jsonrpc":"2.0","id":1,"method":"login","params":{"address":"a@b","password":\#(password)}}"# + "\n")
            var all = ""
            var answer: JSONValue?
            while answer?["id"] == nil {
                answer = try client.next()
                all += JSONWriter.text(answer ?? .null)
            }
            all += server.events.all.joined()
            #expect(!all.contains("secret") && !all.contains("4711"))
        }
    }

    @Test func answersToIdsOfEveryKindAndNotToNotifications() throws {
        try withServer { server in
            let client = try RawClient(server.path)
            for id in [#""a""#, "1", "1.5", "null"] {
                let reply = try client.ask(#"{"jsonrpc":"2.0","id":\#(id),"method":"version"}"#)
                let sent = try JSONParser.parse(id)
                #expect(reply?["id"] == sent)
            }
            client.write(#"{"jsonrpc":"2.0","method":"stop","params":{"id":"a"}}"# + "\n")
            client.write(#"{"jsonrpc":"2.0","method":"nonsense"}"# + "\n\n \r\n")
            #expect(try client.ask(#"{"jsonrpc":"2.0","id":7,"method":"version"}"#)?["id"] == 7)
            #expect(server.events.all == ["audit stop: asked", "audit stop: done"])
        }
    }

    @Test func readsRequestsInAnyCut() throws {
        try withServer { server in
            let client = try RawClient(server.path)
            let requests = (0..<3).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"version"}"# + "\n" }.joined()
            for character in requests { client.write(String(character)) }
            #expect(try (0..<3).map { _ in try client.next()?["id"] } == [0, 1, 2])
        }
    }

    @Test func carriesWhatTheServiceThrewAndItsCandidates() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            let error = #expect(throws: ControlError.self) {
                try client.ask(.start(id: "a"), as: ComponentReply.self, within: .seconds(10))
            }
            #expect(error?.exitCode == .noSuchID)
            #expect(error?.message == #""a" can be a/x, a/y: give more of the id"#)
            #expect(error?.data["candidates"] == ["a/x", "a/y"])
            let exception: JSONValue = ["runtimeException": true, "type": "rpc", "connectionClosed": true]
            let rejected = ControlError.callRejected(exception)
            #expect(try ControlError(json: rejected.json) == rejected)
            #expect(rejected.exitCode == .callRejected && rejected.message == "the call was rejected: rpc")
        }
    }

    @Test func streamsItemsUntilTheEnd() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            var texts: [String] = []
            try client.stream(
                .logs(id: nil, lines: 3, follow: true), as: LogsReply.self, of: LogEntry.self, within: .seconds(10),
                onReply: { $0.lines.isEmpty },
                onItem: { line in
                    texts.append(line.line.text)
                    return true
                })
            #expect(texts == ["line 0", "line 1", "line 2"])
        }
    }

    @Test func endsStreamsAndAnswersWhatWaitsWhenTheServerCloses() throws {
        try withServer { server in
            let streaming = try RawClient(server.path)
            let follow = #"{"jsonrpc":"2.0","id":1,"method":"logs","params":{"lines":10,"follow":true}}"#
            #expect(try streaming.ask(follow)?["result"]?["schema"] == "corehost.logs/1")
            let waiting = try RawClient(server.path)
            waiting.write(
                #"{"jsonrpc":"2.0","id":2,"method":"call","params":{"app":"a","service":"S","method":"never"}}"# + "\n")
            #expect(server.events.wait(for: "call kept"))
            server.closeServer()
            for _ in 0..<10 { #expect(try streaming.next()?["method"] == "logs.item") }
            #expect(try streaming.next() == ["jsonrpc": "2.0", "method": "logs.end", "params": ["request": 1]])
            #expect(try streaming.next() == nil)
            #expect(try waiting.next()?["error"]?["message"] == "the supervisor is closing")
            #expect(try waiting.next() == nil)
            #expect(throws: UnixSocket.Failure(errno: ENOENT, call: "connect")) { try RawClient(server.path) }
        }
    }

    @Test func tellsTheServiceThatAClientLeft() throws {
        try withServer { server in
            do {
                let client = try RawClient(server.path)
                client.write(
                    #"{"jsonrpc":"2.0","id":1,"method":"call","params":{"app":"a","service":"S","method":"never"}}"#
                        + "\n" + #"{"jsonrpc":"2.0","id":2,"method":"logs","params":{"lines":10,"follow":true}}"#
                        + "\n" + #"{"jsonrpc":"2.0","id":3,"met"#)
                #expect(server.events.wait(for: "call kept"))
            }
            #expect(server.events.wait(for: "stream gone"))
            #expect(server.events.wait(for: "call gone"))
            #expect(server.events.all.contains("audit call: the caller left before the answer"))
        }
    }

    @Test func auditsWhatChangesAndWithWhatOutcome() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            _ = try client.ask(.ps, as: PsReply.self, within: .seconds(10))
            _ = try client.ask(.kill(id: "a", signal: .kill), as: ComponentReply.self, within: .seconds(10))
            #expect(throws: ControlError.self) {
                try client.ask(.start(id: "a"), as: ComponentReply.self, within: .seconds(10))
            }
            #expect(
                server.events.all == [
                    "audit kill: asked", "audit kill: done", "audit start: asked",
                    #"audit start: failed: "a" can be a/x, a/y: give more of the id"#,
                ])
            let entry = AuditEntry(
                caller: Peer(pid: 7, uid: 8), command: "test", request: .kill(id: "a/x", signal: .kill),
                outcome: .asked,
                took: .zero)
            #expect(entry.fields == ["pid": "7", "uid": "8", "id": "a/x", "signal": "SIGKILL"])
        }
    }
}
