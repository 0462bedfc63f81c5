/// One request under way: the way back to its client.
///
/// Loop thread only. The service keeps it until it has answered, and while it streams; letting go of it answers with an
/// error, or ends the stream.
public final class ControlExchange {
    public let caller: Peer
    private let pending: PendingReply

    init(_ pending: PendingReply, caller: Peer) {
        self.pending = pending
        self.caller = caller
    }

    deinit {
        switch pending.state {
        case .waiting: pending.fail(ControlError(.failed, "the supervisor gave no answer to this request"))
        case .streaming: pending.end()
        case .over: break
        }
    }

    /// Called once, when the client leaves before the answer or the stream's end.
    public var onGone: (() -> Void)? {
        get { pending.onGone }
        set { pending.onGone = newValue }
    }

    /// Called whenever the client has taken all that was sent to it.
    public var onDrained: (() -> Void)? {
        get { pending.onDrained }
        set { pending.onDrained = newValue }
    }

    /// Bytes on their way to this client, for whatever request.
    public var unsentBytes: Int { pending.unsentBytes }

    /// False for a notification.
    public var takesAnswer: Bool { pending.takesAnswer }

    /// True once nothing that is said here reaches anybody.
    public var isOver: Bool { pending.state == .over }

    public func reply(_ result: some JSONShape) { pending.reply(result.json, streaming: false) }

    /// Answers and keeps the way open for items.
    public func replyAndStream(_ result: some JSONShape) { pending.reply(result.json, streaming: true) }

    public func fail(_ error: ControlError) { pending.fail(error) }

    /// The next item of the stream, or news on the way to the answer; false when nobody is there any more.
    @discardableResult
    public func send(_ item: some JSONShape) -> Bool { pending.send(item.json) }

    /// Ends the stream from this side.
    public func end() { pending.end() }
}

/// What a connection keeps of a request.
final class PendingReply {
    enum State { case waiting, streaming, over }

    private let id: JSONValue?
    private let request: ControlRequest
    private weak var connection: ControlConnection?
    private let settled: (AuditEntry.Outcome) -> Void
    private(set) var state = State.waiting
    var onGone: (() -> Void)?
    var onDrained: (() -> Void)?
    var unsentBytes: Int { connection?.unsentBytes ?? 0 }
    var takesAnswer: Bool { id != nil }

    /// - Parameters:
    ///   - id: nil for a notification, which gets no answer.
    ///   - settled: called once with what became of the request.
    init(
        id: JSONValue?, request: ControlRequest, connection: ControlConnection,
        settled: @escaping (AuditEntry.Outcome) -> Void
    ) {
        self.id = id
        self.request = request
        self.connection = connection
        self.settled = settled
    }

    func reply(_ result: JSONValue, streaming: Bool) {
        guard state == .waiting else { return }
        settled(.done)
        // Nobody could tell whose items a notification's stream brings.
        guard let id, streaming else {
            finish()
            if let id { connection?.send(RPCMessage.result(id: id, result)) }
            return
        }
        state = .streaming
        connection?.send(RPCMessage.result(id: id, result))
    }

    func fail(_ error: ControlError) {
        guard state == .waiting else { return }
        finish()
        settled(.failed(error))
        if let id { connection?.send(RPCMessage.error(id: id, error)) }
    }

    func send(_ item: JSONValue) -> Bool {
        guard state != .over, let id, let connection else { return false }
        connection.send(RPCMessage.item(request.verb, id: id, item))
        return state != .over
    }

    func end() {
        guard state == .streaming, let id else { return }
        finish()
        connection?.send(RPCMessage.end(request.verb, id: id))
    }

    /// The connection is gone.
    func abandon() {
        guard state != .over else { return }
        let waited = state == .waiting
        state = .over
        if waited { settled(.abandoned) }
        let onGone = self.onGone
        self.onGone = nil
        onDrained = nil
        onGone?()
    }

    private func finish() {
        state = .over
        onGone = nil
        onDrained = nil
        connection?.forget(self)
    }
}
