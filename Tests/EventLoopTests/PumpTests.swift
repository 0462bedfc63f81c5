import CGLib
import EventLoop
import Glibc
import Testing

/// Descriptors that GLib waits for under a libuv loop.
@Suite struct PumpTests {
    /// What a source's callback works with.
    private final class World {
        let loop: Loop
        var peer: Int32 = -1
        var calls = 0

        init(_ loop: Loop) { self.loop = loop }

        /// Watches `descriptor` until its first event.
        func watch(_ descriptor: Int32) {
            let channel = g_io_channel_unix_new(descriptor)
            g_io_channel_set_encoding(channel, nil, nil)
            let source = g_io_create_watch(channel, G_IO_IN)
            g_io_channel_unref(channel)
            let ready: @convention(c) (OpaquePointer?, GIOCondition, gpointer?) -> gboolean = { _, _, world in
                guard let world else { return 0 }
                Unmanaged<World>.fromOpaque(world).takeUnretainedValue().happened()
                return 0
            }
            g_source_set_callback(
                source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passUnretained(self).toOpaque(), nil)
            g_source_attach(source, g_main_context_get_thread_default())
            g_source_unref(source)
        }

        var happened: () -> Void = {}
    }

    /// A connection is closed and the next one, which waits for the same, gets its number, all in one turn.
    @Test func aDescriptorThatTakesTheNumberOfAClosedOneIsWaitedFor() throws {
        let loop = try Loop(pumpingGLib: true)
        let world = World(loop)
        let first = try socketPair()
        let second = try socketPair()
        world.happened = {
            world.calls += 1
            guard world.calls == 1 else {
                loop.stop()
                return
            }
            #expect(dup2(second.0, first.0) == first.0)
            close(second.0)
            world.watch(first.0)
        }
        world.watch(first.0)
        let timers = [10, 40].map { delay in
            let timer = Timer(on: loop)
            timer.start(afterMilliseconds: UInt64(delay)) { write(delay == 10 ? first.1 : second.1, "x", 1) }
            return timer
        }
        let limit = Timer(on: loop)
        limit.start(after: .seconds(10)) { loop.stop() }
        loop.run()
        #expect(world.calls == 2)
        for timer in timers + [limit] { timer.close() }
        for descriptor in [first.0, first.1, second.1] { close(descriptor) }
        loop.close()
    }

    enum Taker: CaseIterable {
        case pipe, listener, readiness
    }

    /// A connection of GLib's ends, and in the same turn something of the loop's own gets its number.
    @Test(arguments: Taker.allCases)
    func aNumberThatGLibLetGoOfInThisTurnCanBeTaken(taker: Taker) throws {
        let loop = try Loop(pumpingGLib: true)
        let world = World(loop)
        let ended = try socketPair()
        let next = taker == .listener ? try listeningSocket() : try socketPair()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { buffer.deallocate() }
        var wasReached = false
        func reached() {
            wasReached = true
            loop.stop()
        }
        var closings = [{ for descriptor in [ended.1, next.1] { close(descriptor) } }]
        func take(_ number: Int32) throws {
            switch taker {
            case .pipe:
                let pipe = try Pipe(takingOwnershipOf: number, on: loop)
                closings.append(pipe.close)
                try pipe.read(into: { buffer }, received: { _ in reached() }, ended: { _ in })
            case .listener:
                let listener = try Listener(
                    takingOwnershipOf: number, on: loop,
                    accepted: {
                        $0.close()
                        reached()
                    }, acceptFailed: { Issue.record($0) })
                closings.append(listener.close)
            case .readiness:
                let readiness = try Readiness(ofReading: number, on: loop, reached)
                closings += [readiness.close, { close(number) }]
            }
        }
        world.happened = {
            #expect(dup2(next.0, ended.0) == ended.0)
            close(next.0)
            do {
                try take(ended.0)
            } catch {
                Issue.record(error)
                loop.stop()
            }
        }
        world.watch(ended.0)
        write(ended.1, "x", 1)
        if taker != .listener { write(next.1, "x", 1) }
        let limit = Timer(on: loop)
        limit.start(after: .seconds(10)) { loop.stop() }
        loop.run()
        #expect(wasReached)
        limit.close()
        for work in closings { work() }
        loop.close()
    }

    /// A listening Unix socket and one that is connected to it.
    private func listeningSocket() throws -> (Int32, Int32) {
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let connected = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        // With no path the kernel chooses an abstract name.
        var address = sockaddr_un(sun_family: sa_family_t(AF_UNIX), sun_path: sockaddr_un().sun_path)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(listening, address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0)
                try #require(listen(listening, 1) == 0)
                var size = socklen_t(MemoryLayout<sockaddr_un>.size)
                try #require(getsockname(listening, address, &size) == 0)
                try #require(connect(connected, address, size) == 0)
            }
        }
        return (listening, connected)
    }
}
