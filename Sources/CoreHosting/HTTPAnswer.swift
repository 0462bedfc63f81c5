internal import JSEngine
internal import Networking

/// What JavaScript gets for one request.
struct HTTPAnswer {
    let type: ReplyType
    /// As it was asked for.
    let url: String
    let method: HTTPRequest.Method

    func settle(_ promise: JSPromise, _ result: Result<HTTPReply, HTTPFailure>, on engine: JSEngineHost) {
        switch result {
        case .success(let reply):
            guard type == .json, reply.body.count > 0 else {
                promise.resolve { value(of: reply, $0, body(of: reply, $0)) }
                return
            }
            guard let body = engine.value(fromJSON: Self.text(of: reply)) else {
                promise.reject(origin.exception("the body is no JSON", status: reply.status))
                return
            }
            promise.resolve { value(of: reply, $0, body) }
        case .failure(let failure): promise.reject(origin.exception(failure))
        }
    }

    private var origin: NetworkOrigin { NetworkOrigin(method: method.rawValue, url: url) }

    private func value(of reply: HTTPReply, _ engine: JSEngineHost, _ body: JSValue) -> JSValue {
        let value = engine.makeObject()
        let headers = engine.makeObject()
        for header in reply.headers { headers.set(header.name, engine.string(header.value)) }
        value.set("status", engine.number(Double(reply.status)))
        value.set("headers", headers)
        value.set("body", body)
        return value
    }

    private func body(of reply: HTTPReply, _ engine: JSEngineHost) -> JSValue {
        switch type {
        case .json: engine.undefined
        case .text: engine.string(Self.text(of: reply))
        case .arraybuffer:
            Self.bytes(of: reply, engine)
        }
    }

    private static func bytes(of reply: HTTPReply, _ engine: JSEngineHost) -> JSValue {
        let count = reply.body.count
        return engine.bytes(takingOwnershipOf: reply.body.takeMemory(), count: count)
    }

    /// UTF-8 without a byte order mark; what is none becomes U+FFFD, as in the encoding standard.
    private static func text(of reply: HTTPReply) -> String {
        let bytes = reply.body.bytes
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        return String(decoding: bytes.starts(with: mark) ? bytes[3...] : bytes[...], as: UTF8.self)
    }
}
