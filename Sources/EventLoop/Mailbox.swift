internal import CUV
internal import Synchronization

/// A queue of values into a loop from any thread. What is sent arrives on the loop's thread, in order, several values per
/// wake-up. After `close()` further values are dropped, and `send` says so.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var wake: Wake?
        var closed = false
    }

    private let state = Mutex(State())

    public init() {}

    /// Starts delivery; what was sent before is delivered first.
    public func open(on loop: Loop, _ receive: @escaping (Message) -> Void) throws(UVError) {
        loop.requireCurrent()
        let wake = try Wake(on: loop) { [weak self] in
            guard let self else { return }
            let messages = state.withLock { state in
                let messages = state.messages
                state.messages = []
                return messages
            }
            for message in messages { receive(message) }
        }
        let pending = state.withLock { state in
            state.wake = wake
            return !state.messages.isEmpty
        }
        if pending { uv_async_send(wake.handle.raw) }
    }

    /// False when the receiver has closed.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.closed else { return false }
            state.messages.append(message)
            if state.messages.count == 1, let wake = state.wake { uv_async_send(wake.handle.raw) }
            return true
        }
    }

    /// On the loop's thread. Values not yet delivered are dropped.
    public func close() {
        let wake = state.withLock { state in
            let wake = state.wake
            state = State(closed: true)
            return wake
        }
        wake?.handle.close()
    }
}

/// The libuv handle; `uv_async_send` is the one libuv call that any thread may make, here under the state's lock.
private final class Wake: @unchecked Sendable {
    let handle = Handle<uv_async_t>()
    let action: () -> Void

    init(on loop: Loop, _ action: @escaping () -> Void) throws(UVError) {
        self.action = action
        let code = uv_async_init(loop.raw, handle.raw) { raw in
            Handle<uv_async_t>.owner(raw, as: Wake.self).action()
        }
        guard code == 0 else {
            handle.discard()
            throw UVError(code, in: "uv_async_init")
        }
        handle.adopt(self)
    }
}
