internal import CUV
internal import Glibc

/// A listening Unix socket on a loop. The file at `path` is the caller's to remove.
public final class Listener {
    private let loop: Loop
    private let handle = Handle<uv_pipe_t>()
    private let accepted: (Pipe) -> Void
    private let acceptFailed: (UVError) -> Void
    private var closed = false

    /// Takes ownership of `descriptor`, a bound Unix stream socket: it is closed with the listener, also when this throws.
    ///
    /// `accepted` gets each connection, `acceptFailed` each failure to take one (the listener goes on).
    public init(
        takingOwnershipOf descriptor: Int32, on loop: Loop, backlog: Int32 = 128,
        accepted: @escaping (Pipe) -> Void, acceptFailed: @escaping (UVError) -> Void
    ) throws(UVError) {
        loop.requireCurrent()
        self.loop = loop
        self.accepted = accepted
        self.acceptFailed = acceptFailed
        uv_pipe_init(loop.raw, handle.raw, 0)
        handle.adopt(self)
        loop.claim(descriptor)
        var code = uv_pipe_open(handle.raw, descriptor)
        if code != 0 {
            Glibc.close(descriptor)
        } else {
            code = uv_listen(stream, backlog) { stream, status in
                let listener = Handle<uv_stream_t>.owner(stream, as: Listener.self)
                listener.accept(status)
            }
        }
        guard code == 0 else {
            close()
            throw UVError(code, in: "uv_listen")
        }
    }

    private var stream: UnsafeMutablePointer<uv_stream_t> {
        UnsafeMutableRawPointer(handle.raw).assumingMemoryBound(to: uv_stream_t.self)
    }

    private func accept(_ status: Int32) {
        guard status == 0 else {
            acceptFailed(UVError(status, in: "accept"))
            return
        }
        let pipe = Pipe(forAcceptingOn: loop)
        let code = uv_accept(stream, pipe.stream)
        guard code == 0 else {
            pipe.close()
            acceptFailed(UVError(code, in: "uv_accept"))
            return
        }
        loop.claim(pipe.descriptor)
        pipe.output.attach(to: pipe.stream)
        accepted(pipe)
    }

    public func close() {
        guard !closed else { return }
        closed = true
        handle.close()
    }
}
