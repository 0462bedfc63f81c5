import Foundation
import JSEngine
import TestSupport
import Testing

/// `openEventSource`, as the core's library uses it.
@Suite struct EventSourceTests {
    @Test func messagesAreJSONBothWaysAndCode1000Completes() throws {
        let server = try rawWebSocketServer { socket in
            guard let frame = socket.read(RawWebSocket.text) else { return }
            #expect(frame.text == #"{"type":"request","name":"subscribe","count":1}"#)
            socket.send(text: #"{"type":"event","channel":"c","event":[1,null,"ü"]}"#)
            socket.send(close: 1000)
            socket.connection.waitForEnd()
        }
        let url = server.url("/events", scheme: "ws")
        let script = """
            const { data, ...reply } = await openEventSource(
                { url: '\(url)', sessionId: 's1', method: 'GET', appPath: 'p' });
            const seen = watched(data);
            data.comm.postMessage({ type: 'request', name: 'subscribe', count: 1 });
            const { messages, statuses, end } = await seen;
            const late = await watched(data);
            const after = thrown(() => data.comm.postMessage({}));
            return [reply.status, reply.method, reply.url === '\(url)', messages, end, statuses.map(s => s.type),
                statuses.at(-1).socketClosed, [late.end, late.statuses.length, after.socketClosed]];
            """
        #expect(
            try onWebSockets(script)
                == #"[200,"GET",true,[{"type":"event","channel":"c","event":[1,null,"ü"]}],"complete","#
                + #"["connected","heartbeat","disconnected"],true,["complete",0,true]]"#)
        #expect(try #require(server.heads.first).contains("X-Session-Id: s1"))
    }

    @Test func anyOtherCodeIsAWebSocketException() throws {
        let server = try rawWebSocketServer { socket in
            socket.send(close: 4444, "go away")
            socket.connection.waitForEnd()
        }
        let script = """
            const { data } = await openEventSource({ url: '\(server.url(scheme: "ws"))' });
            const { end, statuses } = await watched(data);
            return [end.runtimeException, end.type, end.socketClosed, end.cause, statuses.at(-1).error];
            """
        let cause = #"{"code":4444,"reason":"go away"}"#
        #expect(try onWebSockets(script) == #"[true,"websocket",true,\#(cause),\#(cause)]"#)
    }

    @Test func aDeathWithoutCloseFrameIsOneToo() throws {
        let server = try rawWebSocketServer { _ in }
        let script = """
            const { data } = await openEventSource({ url: '\(server.url(scheme: "ws"))' });
            const { end } = await watched(data);
            return [end.type, end.socketClosed, end.cause.code, typeof end.cause.problem];
            """
        #expect(try onWebSockets(script) == #"["websocket",true,1006,"string"]"#)
    }

    @Test func aRefusedUpgradeResolvesWithItsStatusAndNoConnectionRejects() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        }
        let listener = try LoopbackListener()
        listener.close()
        let script = """
            const refused = await openEventSource({ url: '\(server.url(scheme: "ws"))', sessionId: 'old' });
            const none = await failure(openEventSource({ url: 'ws://127.0.0.1:\(listener.port)/' }));
            return [refused.status, 'data' in refused, none.type];
            """
        #expect(try onWebSockets(script) == #"[401,false,"connect"]"#)
    }

    @Test func aTextThatIsNoJSONEndsItWith1007() throws {
        let seen = EventList()
        let server = try rawWebSocketServer { socket in
            socket.send(text: "{")
            socket.send(text: #"{"late":true}"#)
            let close = socket.read(RawWebSocket.close)
            seen.add("closed \(close?.code ?? 0) \(close?.reason ?? "")")
            socket.send(close: 1000)
        }
        let script = """
            const { data } = await openEventSource({ url: '\(server.url(scheme: "ws"))' });
            const { end, messages } = await watched(data);
            await sleep(50);
            return [end.type, messages];
            """
        #expect(try onWebSockets(script) == #"["websocket",[]]"#)
        #expect(seen.wait(for: "closed 1007 no JSON"))
    }

    @Test func itPingsEveryTenSeconds() throws {
        let script = """
            const port = globalThis.__nativeCallDispatch;
            const asked = [];
            globalThis.__nativeCallDispatch = async (...call) => { asked.push(call); return { status: 503 }; };
            const reply = await openEventSource({ url: 'wss://a.test/', sessionId: 's', method: 'GET', appPath: '/x' });
            globalThis.__nativeCallDispatch = port;
            return [asked, reply.status];
            """
        #expect(try onWebSockets(script) == #"[[["ws_open",["wss://a.test/","s",10000]]],503]"#)
    }

    @Test func missedPongsAreTellingAndThenTheEnd() throws {
        let server = try rawWebSocketServer { $0.connection.waitForEnd() }
        let script = """
            const { data } = await openEventSource({ url: '\(server.url(scheme: "ws"))' }, 20);
            const { end, statuses } = await watched(data);
            return [end.type, end.cause.code, statuses.map(s => s.missingPongsFromServer ?? s.type)];
            """
        #expect(try onWebSockets(script) == #"["websocket",1006,["connected",1,"disconnected"]]"#)
    }

    @Test func aServerThatDoesNotReadMakesItSlow() throws {
        let reads = EventList()
        let server = try rawWebSocketServer { socket in
            #expect(reads.wait(for: "now"))
            while let frame = socket.read(), frame.text != #""last""# {}
            socket.send(close: 1000)
            socket.connection.waitForEnd()
        }
        try withWebSockets { engine, _ in
            engine.global.set(
                "letServerRead",
                engine.makeFunction { _ in
                    reads.add("now")
                    return nil
                })
            let script = """
                const { data } = await openEventSource({ url: '\(server.url(scheme: "ws"))' });
                const seen = watched(data);
                const big = 'x'.repeat(1 << 20);
                let slow;
                while (!slow) {
                    const outcome = thrown(() => data.comm.postMessage(big));
                    if (outcome.runtimeException) { slow = outcome; }
                }
                letServerRead();
                while (thrown(() => data.comm.postMessage('last')).socketSlow) { await sleep(5); }
                const { end, statuses } = await seen;
                return [slow.type, slow.socketSlow, end, statuses.some(s => s.slowSocket === true)];
                """
            let result = try engine.settle("(async () => { \(script) })()")
            #expect(result == #"["websocket",true,"complete",true]"#)
        }
    }
}
