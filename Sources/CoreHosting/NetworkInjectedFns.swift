public import JSEngine
public import Networking

/// The port `http_request`.
public final class NetworkInjectedFns {
    private let client: HTTPClient
    private var isClosed = false

    public init(session: NetworkSession) { client = HTTPClient(session: session) }

    public func registerAll(on engine: JSEngineHost) {
        engine.registerPort(NetworkPorts.request) { [unowned self] arguments in
            let engine = arguments.engine
            let request = try HTTPRequest(arguments)
            let type = try ReplyType(arguments.optionalText(2))
            let answer = HTTPAnswer(type: type, url: try arguments.text(1), method: request.method)
            let promise = engine.makePromise()
            guard !isClosed else {
                answer.settle(promise, .failure(.cancelled), on: engine)
                return promise.value
            }
            client.send(request) { [unowned self] result in
                if !isClosed { answer.settle(promise, result, on: engine) }
            }
            return promise.value
        }
    }

    /// Requests under way.
    public var pending: Int { client.pending }

    /// Cancels what is under way; nothing is answered any more. Before the engine is closed.
    public func close() {
        isClosed = true
        client.close()
    }
}

/// Form of a reply's body in JavaScript.
enum ReplyType: String {
    case json, arraybuffer, text

    init(_ name: String?) throws { self = name.flatMap(ReplyType.init(rawValue:)) ?? .arraybuffer }

    var longest: Int { self == .arraybuffer ? HTTPRequest.longestBytes : HTTPRequest.longestText }
}
