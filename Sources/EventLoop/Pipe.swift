internal import CUV
internal import Glibc

/// One end of a connected stream of bytes (a socket pair's end, a Unix socket, a pipe) on a loop.
public final class Pipe {
    /// Why reading ended.
    public enum End: Equatable {
        /// The other side closed, or died: ECONNRESET and EPIPE mean the same here.
        case endOfFile
        case failed(UVError)
    }

    let loop: Loop
    let handle = Handle<uv_pipe_t>()
    public let output: OutputQueue
    private var buffer: (() -> UnsafeMutableRawBufferPointer)?
    private var received: ((Int) -> Void)?
    private var ended: ((End) -> Void)?
    public private(set) var isClosed = false
    public private(set) var isReading = false
    /// Reading goes on in the next turn, unless it is paused before.
    private var isYielding = false

    /// Takes ownership of `descriptor`: it is closed with the pipe, also when this throws.
    public init(takingOwnershipOf descriptor: Int32, on loop: Loop) throws(UVError) {
        loop.requireCurrent()
        self.loop = loop
        output = OutputQueue(on: loop)
        uv_pipe_init(loop.raw, handle.raw, 0)
        handle.adopt(self)
        loop.claim(descriptor)
        let code = uv_pipe_open(handle.raw, descriptor)
        guard code == 0 else {
            Glibc.close(descriptor)
            close()
            throw UVError(code, in: "uv_pipe_open")
        }
        output.attach(to: stream)
    }

    /// For a listener: the handle is filled by `uv_accept`.
    init(forAcceptingOn loop: Loop) {
        self.loop = loop
        output = OutputQueue(on: loop)
        uv_pipe_init(loop.raw, handle.raw, 0)
        handle.adopt(self)
    }

    var stream: UnsafeMutablePointer<uv_stream_t> {
        UnsafeMutableRawPointer(handle.raw).assumingMemoryBound(to: uv_stream_t.self)
    }

    /// The descriptor, to ask the kernel about it; it stays the pipe's.
    public var descriptor: Int32 {
        var descriptor: Int32 = -1
        return uv_fileno(handle.base, &descriptor) == 0 ? descriptor : -1
    }

    /// Reads until `close()` or the end.
    ///
    /// - Parameters:
    ///   - buffer: where the next bytes shall go; asked right before each read. Must not be empty.
    ///   - received: that many bytes are in the buffer that was asked for last.
    ///   - ended: called once; nothing comes after it.
    public func read(
        into buffer: @escaping () -> UnsafeMutableRawBufferPointer, received: @escaping (Int) -> Void,
        ended: @escaping (End) -> Void
    ) throws(UVError) {
        self.buffer = buffer
        self.received = received
        self.ended = ended
        try resumeReading()
    }

    /// Holds reading back; what the kernel has stays there.
    public func pauseReading() {
        loop.requireCurrent()
        isYielding = false
        guard isReading, !isClosed else { return }
        isReading = false
        uv_read_stop(stream)
    }

    /// Reads on in the next turn: for a reader whose work with what has come takes time that others want, too. Left alone,
    /// libuv reads a busy stream up to 32 times in a turn.
    public func readOnInNextTurn() {
        guard isReading else { return }
        pauseReading()
        isYielding = true
        loop.atNextTurn { [self] in
            guard isYielding else { return }
            isYielding = false
            do throws(UVError) {
                try resumeReading()
            } catch {
                let ended = self.ended
                self.ended = nil
                ended?(.failed(error))
            }
        }
    }

    public func resumeReading() throws(UVError) {
        loop.requireCurrent()
        guard !isReading, !isClosed else { return }
        let code = uv_read_start(
            stream,
            { handle, _, result in
                let pipe = Pipe.of(handle)
                guard let buffer = pipe.buffer?(), let base = buffer.baseAddress else {
                    result?.pointee = uv_buf_t(base: nil, len: 0)
                    return
                }
                result?.pointee = uv_buf_t(base: base.assumingMemoryBound(to: CChar.self), len: buffer.count)
            },
            { stream, count, _ in
                guard let stream, count != 0 else { return }
                let pipe = Pipe.of(UnsafeMutableRawPointer(stream).assumingMemoryBound(to: uv_handle_t.self))
                if count > 0 {
                    pipe.received?(count)
                } else {
                    pipe.end(Int32(count))
                }
            })
        try UVError.check(code, in: "uv_read_start")
        isReading = true
    }

    /// Takes at once, whatever else may hold the other end open, all that has arrived; for when the peer is known to be
    /// gone. Reading stays paused.
    public func readWhatIsThere() {
        pauseReading()
        while !isClosed, let buffer = buffer?() {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                received?(count)
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }

    /// Idempotent. What was queued and not yet taken by the kernel is released unsent.
    public func close() {
        loop.requireCurrent()
        guard !isClosed else { return }
        isClosed = true
        isReading = false
        isYielding = false
        buffer = nil
        received = nil
        ended = nil
        output.detach()
        handle.close()
    }

    private func end(_ code: Int32) {
        let ended = self.ended
        pauseReading()
        self.ended = nil
        switch code {
        case UV_EOF.rawValue, UV_ECONNRESET.rawValue, UV_EPIPE.rawValue: ended?(.endOfFile)
        default: ended?(.failed(UVError(code, in: "read")))
        }
    }

    private static func of(_ handle: UnsafeMutablePointer<uv_handle_t>?) -> Pipe {
        Handle<uv_handle_t>.owner(handle, as: Pipe.self)
    }
}
