internal import JSEngine
internal import Networking

extension HTTPRequest {
    /// The arguments of `http_request`, whose types were checked. Throws `badArgument` for what cannot be sent as it is.
    init(_ arguments: PortArguments) throws {
        guard let method = Method(rawValue: try arguments.text(0)) else { throw arguments.bad(0, "is unknown") }
        let url = try arguments.text(1)
        let address: WebAddress
        do throws(WebAddressError) {
            address = try WebAddress(url, schemes: Self.schemes)
        } catch {
            throw arguments.bad(1, "cannot be asked for: \(error)")
        }
        self.init(method, address)
        sessionId = try Self.headerValue(arguments, 3, of: "X-Session-Id")
        headers = try Self.headers(arguments, 4)
        wantedHeaders = try arguments.texts(5)
        if let name = wantedHeaders.first(where: { !HeaderRules.isToken($0) }) {
            throw arguments.bad(5, "has \"\(name.prefix(60))\", which is no header name")
        }
        timeout = arguments.optionalWhole(6).flatMap { $0 == 0 ? nil : .milliseconds($0) }
        retries = arguments.optionalWhole(7) ?? 0
        contentType = try Self.headerValue(arguments, 8, of: "Content-Type")
        if let bytes = arguments.optionalBytes(9) {
            guard method.hasBody else { throw arguments.bad(9, "cannot go with \(method.rawValue); leave it out") }
            body = RequestBody(bytes, keptBy: JSReference(arguments[9]))
        } else if contentType != nil, !method.hasBody {
            throw arguments.bad(8, "cannot go with \(method.rawValue), which has no body; leave it out")
        }
        longestBody = try ReplyType(arguments.optionalText(2)).longest
    }

    private static func headerValue(_ arguments: PortArguments, _ index: Int, of name: String) throws -> String? {
        guard let value = try arguments.optionalText(index) else { return nil }
        if let problem = HeaderRules.problem(value: value, of: name) {
            throw arguments.bad(index, "is refused: \(problem)")
        }
        return value
    }

    private static func headers(_ arguments: PortArguments, _ index: Int) throws -> [Header] {
        let members = try arguments.record(index)
        guard members.count <= HeaderRules.mostHeaders else {
            throw arguments.bad(index, "has \(members.count) headers, at most \(HeaderRules.mostHeaders) are sent")
        }
        return try members.map { name, value in
            if let problem = HeaderRules.problem(name, value) { throw arguments.bad(index, "is refused: \(problem)") }
            return Header(name, value)
        }
    }
}
