import CoreHosting
import Foundation
import JSEngine
import Synchronization
import TestSupport
import Testing

/// Senders and servers that flood.
@Suite struct WebSocketFloodTests {
    @Test func aSenderThatFloodsAServerThatDoesNotReadIsToldAndStopped() throws {
        let reads = EventList()
        let server = try rawWebSocketServer { socket in
            #expect(reads.wait(for: "now"))
            var count = 0
            while let bytes = socket.connection.read() { count += bytes.count }
            reads.add("read \(count)")
        }
        try withWebSockets { engine, sockets in
            let go = engine.makeFunction { _ in
                reads.add("now")
                return nil
            }
            engine.global.set("letServerRead", go)
            let script = """
                const ws = await open('\(server.url(scheme: "ws"))');
                const text = 'x'.repeat(99997);
                let [sent, firstFalse, exception] = [0, -1, undefined];
                while (!exception) {
                    exception = thrown(() => {
                        const holdsBack = !ws.send(`${sent % 10} ${text}`);
                        if (holdsBack && firstFalse < 0) { firstFalse = sent; }
                    });
                    if (exception.runtimeException) { break; }
                    exception = undefined;
                    sent += 1;
                }
                const total = sent * 99999;
                letServerRead();
                await ws.event('drained');
                ws.close();
                return [exception.type, exception.socketSlow, firstFalse, total > 60e6 && total < 70e6, sent];
                """
            let result = try engine.settle("(async () => { \(script) })()")
            #expect(result.hasPrefix(#"["websocket",true,0,true,"#), "\(result)")
            let sent = result.dropLast().split(separator: ",").last ?? ""
            let frames = (Int(sent) ?? 0) * (99999 + 14)
            // It leaves in turns of the loop, and the server ends nothing: so the client gives up the close in the end.
            #expect(engine.turn { reads.all.last?.hasPrefix("read") == true })
            #expect(reads.all.last == "read \(frames + 8)")
        }
    }

    @Test func aServerThatFloodsKeepsNobodyElseWaiting() throws {
        let isOver = Atomic(false)
        let server = try rawWebSocketServer { socket in
            // Small texts, as fast as they go: each costs the client more than the server.
            let text = RawWebSocket.frame(RawWebSocket.text, Array("flood".utf8))
            let texts = [[UInt8]](repeating: text, count: 2000).flatMap(\.self)
            while !isOver.load(ordering: .relaxed), socket.connection.write(texts) {}
        }
        defer { isOver.store(true, ordering: .relaxed) }
        let script = """
            const ws = await open('\(server.url(scheme: "ws"))');
            await ws.text(0);
            const late = [];
            for (let n = 0; n < 20; n += 1) {
                const start = performance.now();
                await sleep(10);
                late.push(performance.now() - start - 10);
                ws.texts.length = 1;
            }
            late.sort((a, b) => a - b);
            ws.close();
            await ws.event('closed');
            return late[10];
            """
        let median = try #require(Double(try onWebSockets(script)))
        // A turn of the loop, not the whole flood.
        #expect(median < 50, "timers are \(median) ms late")
    }

    @Test func ofAFloodOfPingsTheLastIsAnswered() throws {
        let server = try rawWebSocketServer { socket in
            let pings = (0..<50000).flatMap { number in
                RawWebSocket.frame(RawWebSocket.ping, [UInt8(number >> 8), UInt8(number & 0xff)])
            }
            socket.connection.write(pings)
            var pongs = 0
            while let frame = socket.read(RawWebSocket.pong) {
                pongs += 1
                if frame.payload == [UInt8(49999 >> 8), UInt8(49999 & 0xff)] { break }
            }
            socket.send(text: "\(pongs)")
            socket.send(close: 1000)
            socket.connection.waitForEnd()
        }
        let script = """
            const ws = await open('\(server.url(scheme: "ws"))');
            await ws.event('closed');
            return Number(ws.texts[0]) < 50000;
            """
        #expect(try onWebSockets(script) == "true")
    }

    @Test func whenTheContextClosesEverySocketIsToldAndGone() throws {
        let seen = EventList()
        let server = try rawWebSocketServer { socket in
            while let frame = socket.read() {
                if frame.opcode == RawWebSocket.close { seen.add("close \(frame.code ?? 0)") }
            }
            seen.add("end")
        }
        try withWebSockets { engine, sockets in
            let url = server.url(scheme: "ws")
            _ = try engine.settle("Promise.all([open('\(url)'), open('\(url)'), open('\(url)')]).then(() => 1)")
            #expect(sockets.open == 3)
        }
        for _ in 0..<3 { #expect(seen.wait(for: "end")) }
        let deadline = ContinuousClock.now + .seconds(10)
        while seen.all.count < 6, ContinuousClock.now < deadline { _ = seen.wait(for: "close") }
        #expect(seen.all.sorted() == ["close 1001", "close 1001", "close 1001", "end", "end", "end"])
    }
}
