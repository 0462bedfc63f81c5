import EventLoop
import Glibc
import JSEngine
import PortBridge
import TestSupport
import Testing
import Wire

/// Two data pipes, one at each end of a socket pair, and what they saw.
private final class Pair {
    let loop: Loop
    private(set) var left: DataPipe!
    private(set) var right: DataPipe!
    var received: [(FrameKind, [UInt8])] = []
    var end: DataPipe.End?
    var onFrame: (() -> Void)?

    init(on loop: Loop) throws {
        self.loop = loop
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        left = try DataPipe(
            takingOwnershipOf: ends[0], generation: 5, limit: 1 << 20, on: loop, onFrame: { _, _ in }, onEnd: { _ in })
        right = try DataPipe(
            takingOwnershipOf: ends[1], generation: 5, limit: 1 << 20, on: loop,
            onFrame: { [unowned self] kind, body in
                received.append((kind, Array(body.bytes)))
                onFrame?()
            },
            onEnd: { [unowned self] in end = $0 })
    }

    func close() {
        left.close()
        right.close()
        loop.close()
    }
}

@Suite struct DataPipeTests {
    @Test func framesOfAllSizesArriveInOrderAndThenTheEnd() throws {
        let pair = try Pair(on: Loop())
        let sizes = [0, 1, 15, 4096, 20_000, 70_000, 1 << 20, 3]
        for size in sizes { pair.left.send(.envelope, [UInt8](repeating: UInt8(size & 255), count: size)) }
        pair.left.send(.bye)
        pair.left.drained = { pair.left.close() }
        pair.loop.run()
        #expect(pair.received.map(\.1.count) == sizes + [0])
        #expect(pair.received.last?.0 == .bye)
        #expect(pair.end == .endOfFile(nil))
        #expect(pair.right.traffic.framesIn == 9)
        #expect(pair.right.traffic.bytesIn == pair.left.traffic.bytesOut)
        pair.close()
    }

    @Test func aFloodDoesNotKeepAnotherPipeWaiting() throws {
        let loop = try Loop()
        let flood = try Pair(on: loop)
        let other = try Pair(on: loop)
        for _ in 0..<1000 { flood.left.send(.envelope, [1]) }
        var passed: Int?
        flood.onFrame = {
            if flood.received.count == 1 { other.left.send(.envelope, [2]) }
            if flood.received.count == 1000 { loop.stop() }
        }
        other.onFrame = { passed = flood.received.count }
        loop.run()
        // One turn's share before the other's message is written, one before it is read.
        #expect(try #require(passed) <= 3 * 64)
        other.left.close()
        other.right.close()
        flood.close()
    }

    @Test func aPipeHeldBackGivesNothingUntilReleasedAndLosesNothing() throws {
        let pair = try Pair(on: Loop())
        for number in 0..<300 { pair.left.send(.envelope, [UInt8(number & 255)]) }
        pair.onFrame = { if pair.received.count == 10 { pair.right.holdBack() } }
        let timer = Timer(on: pair.loop)
        timer.start(afterMilliseconds: 30) { pair.loop.stop() }
        pair.loop.run()
        #expect(pair.received.count == 10)
        pair.right.release()
        pair.left.close()
        pair.loop.run()
        #expect(pair.received.map(\.1) == (0..<300).map { [UInt8($0 & 255)] })
        timer.close()
        pair.close()
    }

    @Test func drainingTakesAllThatADeadPeerWroteThoughItsEndStaysOpenElsewhere() throws {
        let loop = try Loop()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        var encoder = FrameEncoder(generation: 5)
        let whole = (0..<500).flatMap { _ in encoder.frame(.envelope, [1, 2, 3]) }
        let part = Array(encoder.frame(.envelope, [4, 5, 6])[..<18])
        #expect(write(ends[0], whole + part, whole.count + part.count) == whole.count + part.count)
        var count = 0
        var end: DataPipe.End?
        let pipe = try DataPipe(
            takingOwnershipOf: ends[1], generation: 5, limit: 1000, on: loop,
            onFrame: { _, _ in count += 1 }, onEnd: { end = $0 })
        pipe.drain()
        #expect(count == 500)
        guard case .endOfFile(let partial?) = end else {
            Issue.record("ended as \(String(describing: end))")
            return
        }
        #expect(partial.received == 18)
        pipe.close()
        close(ends[0])
        loop.close()
    }

    @Test func aBadHeaderEndsThePipeAfterTheFramesBeforeIt() throws {
        let loop = try Loop()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        var encoder = FrameEncoder(generation: 5)
        var bytes = encoder.frame(.envelope, [1])
        bytes += encoder.frame(.envelope, [UInt8](repeating: 0, count: 1001))
        #expect(write(ends[0], bytes, bytes.count) == bytes.count)
        var count = 0
        var end: DataPipe.End?
        let pipe = try DataPipe(
            takingOwnershipOf: ends[1], generation: 5, limit: 1000, on: loop,
            onFrame: { _, _ in count += 1 },
            onEnd: {
                end = $0
                loop.stop()
            })
        loop.run()
        #expect(count == 1)
        #expect(end == .violation(.tooLong(length: 1001, limit: 1000)))
        pipe.close()
        close(ends[0])
        loop.close()
    }
}

@Suite struct JSPortTests {
    @Test func aWriterIsToldToHoldBackAndThenRefusedByThePipesBounds() throws {
        try withEngine { engine, _ in
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let pipe = try DataPipe(
                takingOwnershipOf: ends[0], generation: 1, limit: 4 << 20,
                queue: DataPipe.QueueBounds(highWater: 1000, limit: 5000), on: engine.loop, onFrame: { _, _ in },
                onEnd: { _ in })
            let port = JSPort(name: "c-1", on: engine, over: pipe)
            let said = try engine.evaluate(
                """
                [500, 1000, 4000].map(size => {
                    try { return globalThis['__portSend_c-1'](new Uint8Array(size)); } catch (e) { return e.queueFull; }
                })
                """, sourceName: "x.js")
            // Nothing leaves before the end of the turn.
            #expect(said.json == "[true,false,true]")
            #expect(pipe.queuedBytes < 2000)
            port.close()
            pipe.close()
            close(ends[1])
        }
    }

    /// Nothing has been collected: thousands of components may have come and gone before that.
    @Test func aPipeWhosePortIsClosedIsGoneAtOnce() throws {
        try withEngine { engine, _ in
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            weak var left: DataPipe?
            do {
                let pipe = try DataPipe(
                    takingOwnershipOf: ends[0], generation: 1, limit: 1000, on: engine.loop, onFrame: { _, _ in },
                    onEnd: { _ in })
                left = pipe
                let port = JSPort(name: "c-1", on: engine, over: pipe)
                try engine.evaluate("var send = globalThis['__portSend_c-1']", sourceName: "x.js")
                port.close()
                pipe.close()
            }
            #expect(engine.turn(until: { left == nil }))
            let error = try #require(throws: JSError.self) {
                try engine.evaluate("send(new Uint8Array(1))", sourceName: "x.js")
            }
            #expect(error.exceptionJSON?.contains("ipcNotConnected") == true)
            close(ends[1])
        }
    }

    @Test func messagesCrossBetweenAContextAndThePipeAndACloseIsFelt() throws {
        try withEngine { engine, log in
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            var port: JSPort?
            var echoed: [Int] = []
            let near = try DataPipe(
                takingOwnershipOf: ends[0], generation: 1, limit: 4 << 20, on: engine.loop,
                onFrame: { _, body in port?.deliver(body) }, onEnd: { _ in })
            let far = try DataPipe(
                takingOwnershipOf: ends[1], generation: 1, limit: 4 << 20, on: engine.loop,
                onFrame: { _, body in echoed.append(body.count) }, onEnd: { _ in })
            port = JSPort(name: "c-1", on: engine, over: near)
            far.send(.envelope, [9])
            #expect(engine.turn(until: { port?.dropped == 1 }))
            try engine.evaluate(
                "globalThis['__portRecv_c-1'] = bytes => globalThis['__portSend_c-1'](new Uint8Array(bytes.length * 2))",
                sourceName: "x.js")
            for size in [0, 10, 30_000, 1_500_000] { far.send(.envelope, [UInt8](repeating: 3, count: size)) }
            #expect(engine.turn(until: { echoed.count == 4 }))
            #expect(echoed == [0, 20, 60_000, 3_000_000])
            let resizable = "new Uint8Array(new ArrayBuffer(20000, { maxByteLength: 30000 }))"
            for bad in ["", "'text'", "{}", "null", resizable] {
                #expect(throws: JSError.self) {
                    try engine.evaluate("globalThis['__portSend_c-1'](\(bad))", sourceName: "x.js")
                }
            }
            let tooBig = try #require(throws: JSError.self) {
                try engine.evaluate("globalThis['__portSend_c-1'](new Uint8Array((4 << 20) + 1))", sourceName: "x.js")
            }
            #expect(tooBig.exceptionJSON?.contains("messageTooBig") == true)
            try engine.evaluate("var send = globalThis['__portSend_c-1']", sourceName: "x.js")
            port?.close()
            let error = try #require(throws: JSError.self) {
                try engine.evaluate("send(new Uint8Array(1))", sourceName: "x.js")
            }
            #expect(error.exceptionJSON?.contains("ipcNotConnected") == true)
            let left = try engine.evaluate(
                "Object.keys(globalThis).filter(n => n.startsWith('__port'))", sourceName: "x")
            #expect(left.json == "[]")
            near.close()
            far.close()
            #expect(log.uncaught.isEmpty)
        }
    }
}
