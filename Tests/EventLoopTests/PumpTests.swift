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
}
