internal import CGLib
internal import EventLoop

/// Sends HTTP requests over a session; lives on its thread.
public final class HTTPClient {
    private let session: NetworkSession
    private var calls: [ObjectIdentifier: HTTPCall] = [:]
    private var isClosed = false

    public init(session: NetworkSession) { self.session = session }

    /// Calls under way.
    public var pending: Int { calls.count }

    /// `done` is called once, never before this returns.
    @discardableResult
    public func send(_ request: HTTPRequest, done: @escaping (Result<HTTPReply, HTTPFailure>) -> Void) -> HTTPCall {
        session.loop.requireCurrent()
        precondition(!isClosed, "a closed HTTP client was used")
        var key: ObjectIdentifier?
        let call = HTTPCall(request, on: session) { [unowned self] result in
            if let key { calls[key] = nil }
            done(result)
        }
        key = ObjectIdentifier(call)
        calls[ObjectIdentifier(call)] = call
        call.start()
        return call
    }

    /// Cancels what is under way and waits until it has ended: then no memory of the caller is read any more.
    public func close() {
        session.loop.requireCurrent()
        guard !isClosed else { return }
        isClosed = true
        for call in calls.values { call.cancel() }
        // Cancelled work ends by callbacks of this thread's context, which nobody iterates until this returns.
        while !calls.isEmpty || g_main_context_pending(g_main_context_get_thread_default()) != 0 {
            g_main_context_iteration(g_main_context_get_thread_default(), 1)
        }
    }
}
