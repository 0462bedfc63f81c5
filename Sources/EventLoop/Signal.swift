internal import CUV

/// Delivers one POSIX signal of this process to a loop.
public final class Signal {
    private let handle = Handle<uv_signal_t>()
    private let action: () -> Void
    private var closed = false

    public init(_ number: Int32, on loop: Loop, _ action: @escaping () -> Void) throws(UVError) {
        loop.requireCurrent()
        self.action = action
        uv_signal_init(loop.raw, handle.raw)
        handle.adopt(self)
        uv_unref(handle.base)
        let code = uv_signal_start(
            handle.raw, { raw, _ in Handle<uv_signal_t>.owner(raw, as: Signal.self).action() }, number)
        guard code == 0 else {
            close()
            throw UVError(code, in: "uv_signal_start")
        }
    }

    public func close() {
        guard !closed else { return }
        closed = true
        handle.close()
    }
}
