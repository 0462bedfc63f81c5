internal import CUV

/// Calls back when a descriptor becomes readable; the descriptor stays its owner's, who closes it after `close()`.
public final class Readiness {
    private let handle = Handle<uv_poll_t>()
    private let action: () -> Void
    private var closed = false

    public init(ofReading descriptor: Int32, on loop: Loop, _ action: @escaping () -> Void) throws(UVError) {
        loop.requireCurrent()
        self.action = action
        loop.claim(descriptor)
        var code = uv_poll_init(loop.raw, handle.raw, descriptor)
        guard code == 0 else {
            handle.discard()
            throw UVError(code, in: "uv_poll_init")
        }
        handle.adopt(self)
        code = uv_poll_start(handle.raw, Int32(UV_READABLE.rawValue)) { raw, _, _ in
            Handle<uv_poll_t>.owner(raw, as: Readiness.self).action()
        }
        guard code == 0 else {
            close()
            throw UVError(code, in: "uv_poll_start")
        }
    }

    public func close() {
        guard !closed else { return }
        closed = true
        uv_poll_stop(handle.raw)
        handle.close()
    }
}
