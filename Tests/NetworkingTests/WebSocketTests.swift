import Foundation
import TestSupport
import Testing

/// `ws_open` and its ports against an honest server.
@Suite struct WebSocketTests {
    @Test func textsGoBothWaysAndTheServersCloseIsTold() throws {
        let server = try EchoServer()
        let script = """
            const ws = await open('\(server.url())');
            ws.send('grün 😀'); ws.send('');
            await ws.text(1);
            ws.send('close see you');
            return [ws.status, typeof ws.socketId, ws.texts, await ws.event('closed'), thrown(() => ws.send('late'))];
            """
        #expect(
            try onWebSockets(script)
                == #"[101,"string",["grün 😀",""],{"type":"closed","code":4001,"reason":"see you"},{}]"#)
        #expect(server.events.wait(for: "closed 4001"))
    }

    @Test func aTextOfAnyLengthArrivesAsItWas() throws {
        let server = try EchoServer()
        let script = """
            const ws = await open('\(server.url())');
            const lengths = [1, 125, 126, 127, 65535, 65536, 100000];
            for (const length of lengths) { ws.send('x'.repeat(length - 1) + 'e'); }
            await ws.text(lengths.length - 1);
            ws.close();
            await ws.event('closed');
            return ws.texts.map((text, n) => text === 'x'.repeat(lengths[n] - 1) + 'e');
            """
        #expect(try onWebSockets(script) == "[true,true,true,true,true,true,true]")
    }

    @Test func ourCloseReachesTheServerWithCodeAndReason() throws {
        let server = try EchoServer()
        let script = """
            const ws = await open('\(server.url())');
            ws.close(3000, 'enough');
            ws.close();
            return [await ws.event('closed'), ws.events.length];
            """
        #expect(try onWebSockets(script) == #"[{"type":"closed","code":3000,"reason":"enough"},1]"#)
        #expect(server.events.wait(for: "closed 3000 enough"))
    }

    @Test func nothingButSuchCodesAndReasonsCanBeSent() throws {
        let server = try EchoServer()
        let script = """
            const ws = await open('\(server.url())');
            const wrong = [[999], [1004], [1005], [1006], [1015], [2999], [5000], [NaN], ['1000'], [1000, 7],
                [1000, 'é'.repeat(62)]];
            const refused = wrong.map(args => thrown(() => ws.close(...args)).badArgument);
            const port = globalThis[`__portSend_ws_#${ws.socketId}`];
            const texts = ['text', [1], undefined, new Uint8Array([0xff]), new Uint8Array([0xed, 0xa0, 0x80])];
            refused.push(...texts.map(text => thrown(() => port(text)).badArgument));
            refused.push(thrown(() => port(new Uint8Array((16 << 20) + 1))).messageTooBig);
            ws.close(1000, 'é'.repeat(61) + 'x');
            return [refused.every(flag => flag === true), (await ws.event('closed')).code];
            """
        #expect(try onWebSockets(script) == "[true,1000]")
    }

    @Test func theRequestIsThatOfTheStandardWithTheSession() throws {
        let server = try rawWebSocketServer { $0.send(close: 1000) }
        let script = """
            const ws = await open('\(server.url("/a%20b?c=d", scheme: "ws"))', 'the session');
            return (await ws.event('closed')).code;
            """
        #expect(try onWebSockets(script) == "1000")
        let lines = try #require(server.heads.first).components(separatedBy: "\r\n")
        #expect(lines[0] == "GET /a%20b?c=d HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:\(server.port)"))
        #expect(lines.contains("X-Session-Id: the session"))
        #expect(lines.contains("Sec-WebSocket-Version: 13"))
        #expect(lines.contains("User-Agent: tests/1"))
        #expect(!lines.contains { $0.hasPrefix("Origin") || $0.hasPrefix("Sec-WebSocket-Extensions") })
    }

    @Test func aRefusedUpgradeGivesItsStatus() throws {
        let server = try EchoServer()
        #expect(try onWebSockets("return await open('\(server.url("/other"))');") == #"{"status":404}"#)
        for status in ["200 OK", "302 Found", "401 Unauthorized", "503 Busy"] {
            let server = try RawServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 \(status)\r\nLocation: ws://localhost/\r\nContent-Length: 3\r\n\r\nno!")
            }
            let script = "return await open('\(server.url(scheme: "ws"))');"
            #expect(try onWebSockets(script) == "{\"status\":\(status.prefix(3))}")
        }
    }

    @Test func interimRepliesBeforeTheUpgradeArePassedOver() throws {
        let server = try RawServer { connection in
            guard let head = connection.readHead() else { return }
            connection.write("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + RawWebSocket.reply(to: head))
            connection.write(RawWebSocket.frame(RawWebSocket.text, Array("at once".utf8)))
            connection.write(RawWebSocket.frame(RawWebSocket.close, [3, 232]))
            connection.waitForEnd()
        }
        let script = """
            const ws = await open('\(server.url(scheme: "ws"))');
            return [await ws.event('closed'), ws.texts];
            """
        #expect(try onWebSockets(script) == #"[{"type":"closed","code":1000,"reason":""},["at once"]]"#)
    }

    @Test func whatCannotBeAskedForIsRefusedBeforeAnyConnection() throws {
        let server = try EchoServer()
        let script = """
            const urls = ['http://127.0.0.1/', 'ws:///', 'ws://a:b@127.0.0.1/', 'ws://127.0.0.1/\\r\\nX: y', 'x', 'ws://h h/'];
            const refused = [];
            for (const url of urls) { refused.push((await failure((async () => open(url))())).badArgument); }
            for (const id of ['a\\r\\nb', 'ä', 'a\\0']) {
                refused.push((await failure(open('\(server.url())', id))).badArgument);
            }
            return refused.every(flag => flag === true);
            """
        #expect(try onWebSockets(script) == "true")
        #expect(server.events.all == [])
    }

    @Test func tlsByAPrivateAuthorityAndNoneWithout() throws {
        let echo = try EchoServer()
        let certificates = try Certificates()
        let inside = """
            location / { proxy_pass http://127.0.0.1:\(echo.port); proxy_http_version 1.1;
                proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }
            """
        let nginx = try Nginx([(try certificates.server(), inside)])
        let url = nginx.url("/echo", isSecure: true).replacing("https:", with: "wss:")
        let script = """
            const ws = await open('\(url)');
            // More than the sockets hold; each less than this server takes.
            const long = 'y'.repeat(100000);
            ws.send('over TLS');
            for (let n = 0; n < 40; n += 1) { ws.send(long); }
            await ws.text(40);
            ws.close();
            return [ws.texts[0], ws.texts.slice(1).every(text => text === long), (await ws.event('closed')).code];
            """
        #expect(try onWebSockets(authority: certificates.authority, script) == #"["over TLS",true,1000]"#)
        let refused = """
            const e = await failure(open('\(url)'));
            return [e.type, e.connectType, e.reason, e.method, e.url === '\(url)'];
            """
        #expect(
            try onWebSockets(refused) == #"["connect","http","certificate-unknownAuthority","GET",true]"#)
    }
}
