internal import CGIO
internal import CGLib

/// Reads the body of one reply into one block of memory.
final class BodyReader {
    enum End {
        case complete
        /// The connection ended, or failed, before the body did.
        case cutShort
        case malformed(String)
        /// Above the limit; what came by then is of no use.
        case tooBig
        case noMemory
        case failed(GLibError)
    }

    /// How the body's end shows.
    enum Framing {
        case length(Int)
        case chunked
        case untilClosed
    }

    private enum Step {
        case read(Int)
        case wait(OpaquePointer)
        case end(End)
    }

    /// Bytes that are read before the loop gets its turn.
    private static let mostPerTurn = 1 << 20

    let received = ReceivedBytes()
    private let stream: UnsafeMutablePointer<GInputStream>
    /// The connection's own, below libsoup's decoding of chunks.
    private let connection: OpaquePointer?
    private var chunks: ChunkDecoder?
    private let length: Int?
    private let limit: Int
    private let cancellable: UnsafeMutablePointer<GCancellable>
    private var isAtEnd = false
    private var done: ((End) -> Void)?

    /// Takes the reference of `stream`, which is what libsoup gives for a reply's body.
    init(
        taking stream: UnsafeMutablePointer<GInputStream>, _ framing: Framing, limit: Int,
        cancellable: UnsafeMutablePointer<GCancellable>
    ) {
        self.stream = stream
        self.limit = limit
        self.cancellable = cancellable
        g_object_ref(cancellable)
        switch framing {
        case .length(let count): length = count
        case .chunked, .untilClosed: length = nil
        }
        if case .chunked = framing, let below = Self.streamBelowChunks(stream) {
            connection = below
            chunks = ChunkDecoder()
        } else {
            connection = nil
        }
    }

    deinit { g_object_unref(cancellable) }

    /// Nil where this libsoup is built otherwise: then its own decoding has to do.
    private static func streamBelowChunks(_ stream: UnsafeMutablePointer<GInputStream>) -> OpaquePointer? {
        var current = UnsafeMutableRawPointer(stream)
        while g_type_check_instance_is_a(
            current.assumingMemoryBound(to: GTypeInstance.self), g_filter_input_stream_get_type()) != 0,
            let name = g_type_name_from_instance(current.assumingMemoryBound(to: GTypeInstance.self)),
            let below = g_filter_input_stream_get_base_stream(current.assumingMemoryBound(to: GFilterInputStream.self))
        {
            if String(cString: name) == "SoupBodyInputStream" { return OpaquePointer(below) }
            current = UnsafeMutableRawPointer(below)
        }
        return nil
    }

    /// `done` is called once, perhaps at once; the stream is closed by then.
    func start(done: @escaping (End) -> Void) {
        self.done = done
        if let length {
            guard length <= limit else { return finish(.tooBig) }
            guard received.reserve(length) else { return finish(.noMemory) }
        }
        read()
    }

    /// Gives it up: what is still to come is not waited for.
    func abandon() { close() }

    // MARK: Reading

    /// Takes what is there, then waits for more; at most `mostPerTurn` at once.
    private func read() {
        var left = Self.mostPerTurn
        while true {
            switch step(atMost: left) {
            case .end(let end): return finish(end)
            case .wait(let pollable): return wait(for: pollable)
            case .read(let count):
                left -= count
                if received.count > limit { return finish(.tooBig) }
                if left <= 0 { return wait(for: source) }
            }
        }
    }

    /// Where the next bytes come from.
    private var source: OpaquePointer { connection ?? OpaquePointer(stream) }

    private func step(atMost left: Int) -> Step {
        if let chunks, !chunks.isComplete, chunks.bodyBytes == nil { return codingStep() }
        if let chunks, chunks.isComplete { return closingStep() }
        // One byte more than may come, to see whether more comes.
        guard let room = received.room(upTo: limit + 1) else { return .end(.noMemory) }
        let most = min(room.count, left, chunks?.bodyBytes ?? Int.max)
        let count: Int
        do throws(GLibError) {
            count = try nonblocking(source, room.baseAddress, most)
        } catch {
            return unread(error)
        }
        guard count > 0 else { return .end(atEnd()) }
        received.filled(count)
        chunks?.took(count)
        return .read(count)
    }

    private func codingStep() -> Step {
        var byte: UInt8 = 0
        do throws(GLibError) {
            guard try nonblocking(source, &byte, 1) > 0 else { return .end(.cutShort) }
        } catch {
            return unread(error)
        }
        do throws(ChunkDecoder.Malformed) {
            try chunks?.take(byte)
        } catch {
            return .end(.malformed(error.reason))
        }
        return .read(1)
    }

    /// The body is whole. libsoup, which has not seen its chunks, is given an end of its own, so that the connection is used
    /// again: for this one read its stream's source, a field that GIO has for classes like it, is a text in memory.
    private func closingStep() -> Step {
        guard let connection, let text = g_memory_input_stream_new_from_data("0\r\n\r\n", 5, nil) else {
            return .end(.complete)
        }
        let filter = UnsafeMutablePointer<GFilterInputStream>(connection)
        let source = filter.pointee.base_stream
        filter.pointee.base_stream = text
        defer {
            filter.pointee.base_stream = source
            g_object_unref(text)
        }
        // libsoup reads the line that ends the trailers to where the body would go.
        var line = [UInt8](repeating: 0, count: 16)
        do throws(GLibError) {
            isAtEnd = try nonblocking(OpaquePointer(stream), &line, line.count) == 0
        } catch {
            // What stands behind the reply is no part of it, and costs the connection.
        }
        return .end(.complete)
    }

    private func unread(_ error: GLibError) -> Step {
        error.isIO(G_IO_ERROR_WOULD_BLOCK) ? .wait(source) : .end(.failed(error))
    }

    private func nonblocking(
        _ source: OpaquePointer, _ place: UnsafeMutableRawPointer?, _ most: Int
    ) throws(GLibError) -> Int {
        try catchingGLibError { error in
            g_pollable_input_stream_read_nonblocking(source, place, gsize(most), cancellable, error)
        }
    }

    private func atEnd() -> End {
        if chunks != nil { return .cutShort }
        isAtEnd = true
        return length.map { received.count < $0 } ?? false ? .cutShort : .complete
    }

    private func wait(for pollable: OpaquePointer) {
        guard let source = g_pollable_input_stream_create_source(pollable, cancellable) else { return }
        let ready: @convention(c) (OpaquePointer?, gpointer?) -> gboolean = { _, reader in
            guard let reader else { return 0 }
            Unmanaged<BodyReader>.fromOpaque(reader).takeUnretainedValue().read()
            return 0
        }
        g_source_set_callback(
            source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(self).toOpaque(),
            { reader in
                guard let reader else { return }
                Unmanaged<BodyReader>.fromOpaque(reader).release()
            })
        g_source_attach(source, g_main_context_get_thread_default())
        g_source_unref(source)
    }

    // MARK: The end

    private func finish(_ end: End) {
        close()
        let done = self.done
        self.done = nil
        done?(end)
    }

    /// A stream that is let go before its end would wait for its end, and the thread with it: it is closed as cancelled,
    /// and its connection with it.
    private func close() {
        defer { g_object_unref(stream) }
        guard !isAtEnd else { return }
        g_cancellable_cancel(cancellable)
        g_input_stream_close_async(stream, G_PRIORITY_DEFAULT, cancellable, nil, nil)
    }
}
