import Foundation
import JSEngine
import Networking
import TestSupport
import Testing

/// `ws_open` and its ports with the server gone, slow, lying, dying.
@Suite struct WebSocketFaultTests {
    @Test func withoutAnybodyThereItIsAConnectException() throws {
        let listener = try LoopbackListener()
        listener.close()
        let script = """
            const e = await failure(open('ws://127.0.0.1:\(listener.port)/x'));
            return [e.runtimeException, e.type, e.connectType, e.reason, e.method];
            """
        #expect(try onWebSockets(script) == #"[true,"connect","http","refused","GET"]"#)
    }

    @Test func aServerThatLeavesBeforeItsReplyIsAConnectException() throws {
        let server = try RawServer { $0.readHead() }
        let script = """
            const e = await failure(open('\(server.url(scheme: "ws"))'));
            return [e.type, e.reason];
            """
        #expect(try onWebSockets(script) == #"["connect","closedEarly"]"#)
    }

    @Test func aNetworkThatGoesTakesOpenSocketsAlong() throws {
        let server = try rawWebSocketServer { $0.connection.waitForEnd() }
        let url = server.url(scheme: "ws")
        try withEngine { engine, _ in
            let session = NetworkSession(loop: engine.loop, userAgent: "tests/1")
            let client = WebSocketClient(session: session)
            defer {
                client.close()
                session.close()
            }
            var replies: [Result<WebSocketReply, HTTPFailure>] = []
            func open() throws {
                client.open(WebSocketRequest(try WebAddress(url, schemes: WebSocketRequest.schemes))) {
                    replies.append($0)
                }
            }
            try open()
            #expect(engine.turn { replies.count == 1 })
            guard case .success(.opened(let socket)) = replies.first else {
                Issue.record("\(replies)")
                return
            }
            var events: [WebSocketEvent] = []
            socket.start { events.append($0) }
            session.fault = .gone
            #expect(events.isEmpty && engine.turn { !events.isEmpty })
            guard case .ended(let end) = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(events.count == 1 && end.code == 1006 && end.problem == "the network is gone")
            try open()
            #expect(engine.turn { replies.count == 2 })
            #expect(throws: HTTPFailure.self) { try replies[1].get() }
        }
    }

    @Test func aServerThatSaysNothingIsGivenUp() throws {
        let server = try RawServer { $0.waitForEnd() }
        let url = server.url(scheme: "ws")
        let failure = try withEngine { engine, _ in
            let session = NetworkSession(loop: engine.loop, userAgent: "tests/1")
            let client = WebSocketClient(session: session)
            defer {
                client.close()
                session.close()
            }
            var request = WebSocketRequest(try WebAddress(url, schemes: WebSocketRequest.schemes))
            request.openLimit = .milliseconds(50)
            var failure: HTTPFailure?
            client.open(request) { result in
                if case .failure(let reason) = result { failure = reason }
            }
            #expect(engine.turn { failure != nil })
            #expect(client.pending == 0)
            return failure
        }
        #expect(failure == .connect(.timedOut, host: "127.0.0.1"))
    }

    private static let lies = [
        ("no HTTP at all\r\n\r\n", "null"),
        (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", "101"
        ),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", "101"),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "101"),
        ("HTTP/1.1 nonsense\r\n\r\n", "null"),
        ("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 70000), "null"),
    ]

    @Test(arguments: lies)
    func aReplyThatIsNoneIsMalformed(reply: String, status: String) throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(reply)
            connection.waitForEnd()
        }
        let script = """
            const e = await failure(open('\(server.url(scheme: "ws"))'));
            return [e.type, e.malformedResponse, e.status ?? null];
            """
        #expect(try onWebSockets(script) == #"["http-request",true,\#(status)]"#)
    }

    private static let violations: [(what: String, bytes: [UInt8], code: Int)] = [
        ("binary", [0x82, 1, 0], 1003), ("no UTF-8", [0x81, 2, 0xc3, 0x28], 1007),
        ("half a surrogate pair", [0x81, 3, 0xed, 0xa0, 0x80], 1007), ("reserved bits", [0xc1, 0], 1002),
        ("masked", [0x81, 0x81, 1, 2, 3, 4, 5], 1002), ("unknown opcode", [0x83, 0], 1002),
        ("unknown control opcode", [0x8b, 0], 1002), ("fragmented ping", [0x09, 0], 1002),
        ("long ping", [0x89, 126, 0, 126], 1002), ("continuation of nothing", [0x80, 0], 1002),
        ("message in a message", [0x01, 1, 0x61, 0x81, 1, 0x62], 1002),
        ("length too wide", [0x81, 126, 0, 5], 1002),
        ("length of 64 bits", [0x81, 127, 255, 0, 0, 0, 0, 0, 0, 0], 1002),
        ("too big", [0x81, 127, 0, 0, 0, 0, 1, 0, 0, 1], 1009),
        ("half a close code", [0x88, 1, 3], 1002), ("close code 1005", [0x88, 2, 3, 0xed], 1002),
        ("close reason no UTF-8", [0x88, 3, 3, 0xe8, 0xff], 1007),
    ]

    @Test func whatNoServerMaySendEndsItWithTheRightCode() throws {
        for (what, bytes, code) in Self.violations {
            let seen = EventList()
            let server = try rawWebSocketServer { socket in
                socket.connection.write(bytes)
                let close = socket.read(RawWebSocket.close)
                seen.add("server saw \(close?.code ?? 0)")
            }
            let script = """
                const ws = await open('\(server.url(scheme: "ws"))');
                const end = await ws.event('closed');
                return [end.code, typeof end.problem, ws.texts.length];
                """
            #expect(try onWebSockets(script) == "[\(code),\"string\",0]", "\(what)")
            #expect(seen.wait(for: "server saw"))
            #expect(seen.all == ["server saw \(code)"], "\(what)")
        }
    }

    @Test func aFragmentedTextIsOneMessageWithPingsInBetween() throws {
        let server = try rawWebSocketServer { socket in
            socket.send(RawWebSocket.text, [0xf0, 0x9f], isLast: false)
            socket.send(RawWebSocket.ping, [7])
            socket.send(0, [], isLast: false)
            socket.send(0, [0x98, 0x80])
            #expect(socket.read(RawWebSocket.pong)?.payload == [7])
            socket.send(close: 1000)
            socket.connection.waitForEnd()
        }
        let script = """
            const ws = await open('\(server.url(scheme: "ws"))');
            const end = await ws.event('closed');
            return [ws.texts, end.code, ws.events.map(e => e.type)];
            """
        #expect(try onWebSockets(script) == #"[["😀"],1000,["ping","closed"]]"#)
    }

    @Test(arguments: [true, false])
    func aServerThatDiesWithoutACloseFrameIsAnAbnormalEnd(resets: Bool) throws {
        let server = try rawWebSocketServer { socket in
            socket.send(text: "last words")
            _ = socket.read()
            if resets { socket.connection.reset() }
        }
        let script = """
            const ws = await open('\(server.url(scheme: "ws"))');
            await ws.text(0);
            ws.send('x');
            const end = await ws.event('closed');
            return [end.code, end.reason, typeof end.problem, ws.texts];
            """
        #expect(try onWebSockets(script) == #"[1006,"","string",["last words"]]"#)
    }

    @Test func aCloseThatIsNotAnsweredEndsAfterItsLimit() throws {
        let server = try rawWebSocketServer { $0.connection.waitForEnd() }
        let url = server.url(scheme: "ws")
        let end = try withEngine { engine, _ in
            let session = NetworkSession(loop: engine.loop, userAgent: "tests/1")
            let client = WebSocketClient(session: session)
            defer {
                client.close()
                session.close()
            }
            var request = WebSocketRequest(try WebAddress(url, schemes: WebSocketRequest.schemes))
            request.closeLimit = .milliseconds(50)
            var end: WebSocketEnd?
            client.open(request) { result in
                guard case .success(.opened(let socket)) = result else { return }
                socket.start { event in
                    if case .ended(let how) = event { end = how }
                }
                socket.close(code: 1000, reason: "")
            }
            #expect(engine.turn { end != nil })
            return end
        }
        #expect(end?.code == 1006)
        #expect(end?.problem?.contains("did not answer our close frame") == true)
    }

    @Test func pingsAreAnsweredAndTold() throws {
        let server = try EchoServer()
        let script = """
            const ws = await open('\(server.url())', undefined, 500);
            const pong = await ws.event('pong');
            ws.close();
            await ws.event('closed');
            return [typeof pong.millis, pong.millis >= 0, ws.events.some(e => e.type === 'missed-pong')];
            """
        #expect(try onWebSockets(script) == #"["number",true,false]"#)
    }

    @Test func twoMissedPongsEndItAndWrongPongsDoNotCount() throws {
        let seen = EventList()
        let server = try rawWebSocketServer { socket in
            while let frame = socket.read() {
                seen.add(frame.opcode == RawWebSocket.close ? "close \(frame.code ?? 0)" : "\(frame.opcode)")
                socket.send(RawWebSocket.pong, [1, 2, 3])
            }
            seen.add("end")
        }
        let script = """
            const ws = await open('\(server.url(scheme: "ws"))', undefined, 30);
            const end = await ws.event('closed');
            return [end.code, end.problem, ws.events.map(e => e.missed ?? e.type)];
            """
        #expect(
            try onWebSockets(script) == #"[1006,"the server answered none of 2 pings",[1,"closed"]]"#)
        #expect(seen.wait(for: "end"))
        #expect(seen.all == ["9", "9", "close 1008", "end"])
    }
}
