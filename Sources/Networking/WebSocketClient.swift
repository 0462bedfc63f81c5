internal import EventLoop

/// Opens WebSockets; lives on its loop's thread.
///
/// Frames, pings and queues are our own, over GIO's streams: libsoup's WebSocket reads as long as a server sends, without
/// giving the loop a turn, does not say how much waits to be written, and does not notice missing pongs.
public final class WebSocketClient {
    private let session: NetworkSession
    private var openings: [ObjectIdentifier: WebSocketOpening] = [:]
    private var sockets: [ObjectIdentifier: WebSocket] = [:]
    private var isClosed = false

    /// Who we are and whom we trust is the session's.
    public init(session: NetworkSession) {
        self.session = session
        session.networkWent = { [weak self] in self?.loseServers() }
    }

    /// `done` is called once, never before this returns.
    public func open(_ request: WebSocketRequest, done: @escaping (Result<WebSocketReply, HTTPFailure>) -> Void) {
        session.loop.requireCurrent()
        precondition(!isClosed, "a closed WebSocket client was used")
        var key: ObjectIdentifier?
        let opening = WebSocketOpening(request, on: session) { [weak self] result in
            if let key { self?.openings[key] = nil }
            if case .success(.opened(let socket)) = result { self?.keep(socket) }
            done(result)
        }
        key = ObjectIdentifier(opening)
        openings[ObjectIdentifier(opening)] = opening
        opening.start()
    }

    /// Until it has left, which may be a while after its end was told.
    private func keep(_ socket: WebSocket) {
        let key = ObjectIdentifier(socket)
        sockets[key] = socket
        socket.hasLeft = { [weak self] in self?.sockets[key] = nil }
    }

    /// Told in the next turn, as what the network does is.
    private func loseServers() {
        session.loop.atNextTurn { [weak self] in
            for socket in self?.sockets.values.map({ $0 }) ?? [] { socket.loseServer() }
        }
    }

    /// Handshakes under way.
    public var pending: Int { openings.count }

    /// Gives up what is under way, which ends with `cancelled`, and abandons every socket.
    public func close() {
        isClosed = true
        for opening in openings.values { opening.cancel() }
        for socket in sockets.values { socket.abandon() }
    }
}
