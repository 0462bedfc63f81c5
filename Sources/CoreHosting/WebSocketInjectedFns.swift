public import JSEngine
public import Networking

/// The port `ws_open` and the ports of the sockets that it opens.
public final class WebSocketInjectedFns {
    private static let mostSockets = 256

    private let client: WebSocketClient
    private var sockets: [String: WebSocketPort] = [:]
    private var lastId = 0
    private var isClosed = false

    public init(session: NetworkSession) { client = WebSocketClient(session: session) }

    public func registerAll(on engine: JSEngineHost) {
        engine.registerPort(WebSocketPorts.open) { [unowned self] arguments in
            let engine = arguments.engine
            let url = try arguments.text(0)
            let request = try request(arguments, url)
            let promise = engine.makePromise()
            guard !isClosed, sockets.count + client.pending < Self.mostSockets else {
                throw RuntimeException(
                    type: "websocket",
                    [
                        "tooManySockets": .flag(true), "url": .text(url),
                        "message": .text("\(Self.mostSockets) sockets are open; close one first"),
                    ])
            }
            client.open(request) { [weak self] result in
                switch result {
                case .success(let reply): self?.opened(reply, promise, on: engine)
                case .failure(let failure):
                    guard let self, !isClosed else { return }
                    promise.reject(NetworkOrigin(method: "GET", url: url).exception(failure))
                }
            }
            return promise.value
        }
    }

    private func request(_ arguments: PortArguments, _ url: String) throws -> WebSocketRequest {
        let sessionId = try arguments.optionalText(1)
        if let sessionId, let problem = HeaderRules.problem(value: sessionId, of: "X-Session-Id") {
            throw arguments.bad(1, "is refused: \(problem)")
        }
        let address: WebAddress
        do throws(WebAddressError) {
            address = try WebAddress(url, schemes: WebSocketRequest.schemes)
        } catch {
            throw arguments.bad(0, "cannot be asked for: \(error)")
        }
        var request = WebSocketRequest(address)
        request.sessionId = sessionId
        if let millis = arguments.optionalWhole(2) { request.pingInterval = .milliseconds(millis) }
        return request
    }

    private func opened(_ reply: WebSocketReply, _ promise: JSPromise, on engine: JSEngineHost) {
        switch reply {
        case .refused(let status):
            guard !isClosed else { return }
            promise.resolve { Self.answer(status: status, nil, on: $0) }
        case .opened(let socket):
            guard !isClosed else { return }
            lastId += 1
            let id = "\(lastId)"
            sockets[id] = WebSocketPort("ws_#\(id)", socket, on: engine) { [unowned self] in sockets[id] = nil }
            promise.resolve { Self.answer(status: 101, id, on: $0) }
        }
    }

    private static func answer(status: Int, _ socketId: String?, on engine: JSEngineHost) -> JSValue {
        let answer = engine.makeObject()
        answer.set("status", engine.number(Double(status)))
        if let socketId { answer.set("socketId", engine.string(socketId)) }
        return answer
    }

    /// Sockets that are open, and handshakes under way.
    public var open: Int { sockets.count + client.pending }

    /// Ends all of them; nothing is answered any more. Before the engine is closed.
    public func close() {
        isClosed = true
        sockets = [:]
        client.close()
    }
}
