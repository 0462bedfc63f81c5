internal import CGIO
internal import CGLib
internal import EventLoop

/// A connected stream of GIO, plain or with TLS, read and written without ever waiting.
final class WebSocketStream {
    private let loop: Loop
    private let stream: UnsafeMutablePointer<GIOStream>
    private let socket: UnsafeMutablePointer<GSocket>
    private var inputSource: UnsafeMutablePointer<GSource>?
    private var outputSource: UnsafeMutablePointer<GSource>?
    private var isClosed = false
    /// Called again and again while there is something to read, or the end, and it is wanted.
    var readable: (() -> Void)?
    /// The same for room to write into.
    var writable: (() -> Void)?

    /// Takes over `connection`.
    init(taking connection: UnsafeMutablePointer<GSocketConnection>, on loop: Loop) {
        self.loop = loop
        stream = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
        guard let socket = g_socket_connection_get_socket(connection) else {
            preconditionFailure("a connection without a socket")
        }
        self.socket = socket
        // TCP_NODELAY: a message that waits for the acknowledgement of the one before is late.
        g_socket_set_option(socket, 6, 1, 1, nil)
    }

    deinit { close() }

    private var input: OpaquePointer { OpaquePointer(g_io_stream_get_input_stream(stream)) }
    private var output: OpaquePointer { OpaquePointer(g_io_stream_get_output_stream(stream)) }

    /// Bytes read; 0 is the end, nil means that nothing is there yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(GLibError) -> Int? {
        guard !isClosed else { return 0 }
        var error: UnsafeMutablePointer<GError>?
        let count = g_pollable_input_stream_read_nonblocking(
            input, buffer.baseAddress, gsize(buffer.count), nil, &error)
        return try Self.outcome(count, error)
    }

    /// Bytes written; nil means that there is no room yet: TLS then wants the same bytes the next time.
    func write(_ bytes: UnsafeRawBufferPointer) throws(GLibError) -> Int? {
        guard !isClosed else { return nil }
        var error: UnsafeMutablePointer<GError>?
        let count = g_pollable_output_stream_write_nonblocking(
            output, bytes.baseAddress, gsize(bytes.count), nil, &error)
        return try Self.outcome(count, error)
    }

    private static func outcome(
        _ count: gssize, _ error: UnsafeMutablePointer<GError>?
    ) throws(GLibError) -> Int? {
        guard let error else { return count }
        let failure = GLibError(taking: error)
        if failure.isIO(G_IO_ERROR_WOULD_BLOCK) { return nil }
        throw failure
    }

    // MARK: Waiting

    var wantsInput: Bool {
        get { inputSource != nil }
        set {
            guard newValue != wantsInput, !isClosed else { return }
            guard newValue else {
                Self.detach(&inputSource)
                return
            }
            inputSource = attach(g_pollable_input_stream_create_source(input, nil)) { me in
                Unmanaged<WebSocketStream>.fromOpaque(me).takeUnretainedValue().readable?()
            }
        }
    }

    var wantsOutput: Bool {
        get { outputSource != nil }
        set {
            guard newValue != wantsOutput, !isClosed else { return }
            guard newValue else {
                Self.detach(&outputSource)
                return
            }
            outputSource = attach(g_pollable_output_stream_create_source(output, nil)) { me in
                Unmanaged<WebSocketStream>.fromOpaque(me).takeUnretainedValue().writable?()
            }
        }
    }

    private final class Watch {
        // Weak: a callback may be the last to use the stream.
        weak var stream: WebSocketStream?
        let body: (UnsafeMutableRawPointer) -> Void

        init(_ stream: WebSocketStream, _ body: @escaping (UnsafeMutableRawPointer) -> Void) {
            self.stream = stream
            self.body = body
        }
    }

    private func attach(
        _ source: UnsafeMutablePointer<GSource>?, _ body: @escaping (UnsafeMutableRawPointer) -> Void
    ) -> UnsafeMutablePointer<GSource>? {
        let ready: @convention(c) (OpaquePointer, gpointer) -> gboolean = { _, watch in
            let watch = Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue()
            guard let stream = watch.stream else { return 0 }
            watch.body(Unmanaged.passUnretained(stream).toOpaque())
            return 1
        }
        g_source_set_callback(
            source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(Watch(self, body)).toOpaque(),
            { watch in
                guard let watch else { return }
                Unmanaged<Watch>.fromOpaque(watch).release()
            })
        g_source_attach(source, g_main_context_get_thread_default())
        return source
    }

    private static func detach(_ source: inout UnsafeMutablePointer<GSource>?) {
        guard let attached = source else { return }
        source = nil
        g_source_destroy(attached)
        g_source_unref(attached)
    }

    // MARK: The end

    /// Lets go of the connection without a word. The socket itself goes at the turn's end: by then the loop has no watch
    /// on its descriptor any more, whose number the next one may get.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        readable = nil
        writable = nil
        Self.detach(&inputSource)
        Self.detach(&outputSource)
        loop.atEndOfTurn { [stream, socket] in
            // The socket before the stream: TLS would wait for room to say goodbye.
            g_socket_close(socket, nil)
            g_object_unref(stream)
        }
    }
}
