internal import CGIO
internal import CGLib
internal import CSoup

/// One message to a server and its reply, without redirects and time-outs.
final class HTTPExchange {
    struct Reply {
        let status: Int
        let headers: [HTTPRequest.Header]
        /// Of a reply with a redirect's status.
        let location: [UInt8]?
        let body: ReceivedBytes
    }

    /// A redirect's body is of no use; more of it costs the connection.
    private static let longestRedirectBody = 65536

    private let message: OpaquePointer
    private let host: String
    private let wantedHeaders: [String]
    private let longestBody: Int
    private let trust: TrustCheck
    private let cancellable: UnsafeMutablePointer<GCancellable>
    private var isGivenUp = false
    private var isRedirect = false
    private var done: ((Result<Reply, HTTPFailure>) -> Void)?

    init(_ request: HTTPRequest, session: NetworkSession) {
        let trust = TrustCheck()
        self.trust = trust
        message = request.address.withURI { session.makeMessage(request.method.rawValue, $0, trust: trust) }
        guard let cancellable = g_cancellable_new() else { preconditionFailure("GIO made no cancellable") }
        self.cancellable = cancellable
        host = request.address.host
        wantedHeaders = request.wantedHeaders
        longestBody = request.longestBody
        fill(request)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(message))
        g_object_unref(cancellable)
    }

    private func fill(_ request: HTTPRequest) {
        let headers = soup_message_get_request_headers(message)
        soup_message_headers_append(headers, "Accept-Encoding", "identity")
        for header in request.headers { soup_message_headers_append(headers, header.name, header.value) }
        if let sessionId = request.sessionId { soup_message_headers_append(headers, "X-Session-Id", sessionId) }
        guard request.method.hasBody else { return }
        let bytes = request.body.map { body in
            g_bytes_new_with_free_func(
                body.bytes.baseAddress, gsize(body.bytes.count),
                { keeper in
                    guard let keeper else { return }
                    Unmanaged<AnyObject>.fromOpaque(keeper).release()
                }, Unmanaged.passRetained(body.keeper).toOpaque())
        }
        let content = bytes ?? g_bytes_new_static(nil, 0)
        defer { g_bytes_unref(content) }
        soup_message_set_request_body_from_bytes(message, nil, content)
        if let type = request.contentType { soup_message_headers_replace(headers, "Content-Type", type) }
    }

    /// `done` is called once, later.
    func start(on session: NetworkSession, done: @escaping (Result<Reply, HTTPFailure>) -> Void) {
        self.done = done
        soup_session_send_async(
            session.raw, message, G_PRIORITY_DEFAULT, cancellable,
            { session, result, exchange in
                guard let session, let exchange else { return }
                Unmanaged<HTTPExchange>.fromOpaque(exchange).takeRetainedValue().answered(
                    UnsafeMutableRawPointer(session).assumingMemoryBound(to: SoupSession.self), result)
            }, Unmanaged.passRetained(self).toOpaque())
    }

    /// Ends it early: `done` gets `cancelled`, soon.
    func cancel() {
        isGivenUp = true
        g_cancellable_cancel(cancellable)
    }

    // MARK: The head of the reply

    private func answered(_ session: UnsafeMutablePointer<SoupSession>, _ result: OpaquePointer?) {
        let opened: UnsafeMutablePointer<GInputStream>?
        do throws(GLibError) {
            opened = try catchingGLibError { soup_session_send_finish(session, result, $0) }
        } catch {
            finish(.failure(failure(beforeHead: error)))
            return
        }
        guard let opened else { preconditionFailure("libsoup gave neither a stream nor an error") }
        let headers = soup_message_get_response_headers(message)
        let hasTarget = soup_message_headers_get_one(headers, "Location") != nil
        isRedirect = [301, 302, 303, 307, 308].contains(status) && hasTarget
        let framing = framing(headers)
        let body = BodyReader(
            taking: opened, framing ?? .untilClosed, limit: isRedirect ? Self.longestRedirectBody : longestBody,
            cancellable: cancellable)
        if let fault = headFault(headers, framing) {
            body.abandon()
            finish(.failure(.reply(fault, status: status)))
        } else {
            body.start { [self] end in ended(body, end) }
        }
    }

    private var status: Int { Int(soup_message_get_status(message).rawValue) }

    /// Nil where the reply contradicts itself: libsoup takes the last of several lengths, and a negative one for none.
    /// Replies without a body tell what the length of another one's is (RFC 9110, 15.4.5).
    private func framing(_ headers: OpaquePointer?) -> BodyReader.Framing? {
        if status == 204 || status == 304 { return .length(0) }
        switch soup_message_headers_get_encoding(headers) {
        case SOUP_ENCODING_CHUNKED: return .chunked
        case SOUP_ENCODING_CONTENT_LENGTH:
            let given = soup_message_headers_get_list(headers, "Content-Length").map { String(cString: $0) } ?? ""
            let lengths = Set(given.split(separator: ",").map { $0.trimmingPrefix { $0 == " " } })
            guard lengths.count == 1, let text = lengths.first, text.allSatisfy({ ("0"..."9").contains($0) }) else {
                return nil
            }
            return .length(Int(text) ?? Int.max)
        default: return .untilClosed
        }
    }

    private func headFault(_ headers: OpaquePointer?, _ framing: BodyReader.Framing?) -> ReplyFault? {
        guard framing != nil else { return .notHTTP("its Content-Length is none, or there are several") }
        let coding = soup_message_headers_get_list(headers, "Content-Encoding").map { String(cString: $0) } ?? ""
        guard coding.isEmpty || coding.lowercased() == "identity" || isRedirect else { return .coding(coding) }
        return nil
    }

    private func failure(beforeHead error: GLibError) -> HTTPFailure {
        if isGivenUp { return .cancelled }
        if error.isSession(SOUP_SESSION_ERROR_PARSING) || error.isSession(SOUP_SESSION_ERROR_ENCODING) {
            return .reply(.notHTTP(error.message), status: nil)
        }
        // libsoup gives the code of an early end for this too; the text is not translated, as no locale is set.
        if error.isIO(G_IO_ERROR_PARTIAL_INPUT), error.message == "Header too big" {
            return .reply(.headersTooBig, status: nil)
        }
        return .connect(ConnectCause(error, trust), host: host)
    }

    // MARK: The body

    private func ended(_ body: BodyReader, _ end: BodyReader.End) {
        let count = body.received.count
        let fault: ReplyFault
        switch end {
        case .complete where !isCutHead(count): return finish(.success(reply(body.received)))
        case .tooBig where isRedirect: return finish(.success(reply(body.received)))
        case .failed where isGivenUp: return finish(.failure(.cancelled))
        case .failed(let error) where error.isIO(G_IO_ERROR_TIMED_OUT):
            return finish(.failure(.connect(.timedOut, host: host)))
        case .complete, .cutShort, .failed: fault = .cutShort(received: count)
        case .malformed(let reason): fault = .notHTTP(reason)
        case .tooBig: fault = .tooBig(limit: longestBody)
        case .noMemory: fault = .noMemory(count)
        }
        finish(.failure(.reply(fault, status: status)))
    }

    /// libsoup takes a connection that ends inside the headers for one that ends behind them. A reply that has no length,
    /// does not say that it ends with the connection, and then has nothing at all, is taken for such a one.
    private func isCutHead(_ count: Int) -> Bool {
        let headers = soup_message_get_response_headers(message)
        return count == 0 && status != 204 && status != 304
            && soup_message_headers_get_encoding(headers) == SOUP_ENCODING_EOF
            && soup_message_get_http_version(message) == SOUP_HTTP_1_1
            && soup_message_headers_header_contains(headers, "Connection", "close") == 0
    }

    private func reply(_ body: ReceivedBytes) -> Reply {
        let headers = soup_message_get_response_headers(message)
        var wanted: [HTTPRequest.Header] = []
        for name in wantedHeaders {
            guard let value = soup_message_headers_get_list(headers, name) else { continue }
            wanted.append(HTTPRequest.Header(name.lowercased(), Self.text(value)))
        }
        let location = isRedirect ? soup_message_headers_get_one(headers, "Location").map(Self.bytes) : nil
        return Reply(status: status, headers: wanted, location: location, body: body)
    }

    private static func bytes(_ value: UnsafePointer<CChar>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// Each byte is a character, as the fetch standard has it.
    private static func text(_ value: UnsafePointer<CChar>) -> String {
        String(String.UnicodeScalarView(bytes(value).map { Unicode.Scalar($0) }))
    }

    private func finish(_ result: Result<Reply, HTTPFailure>) {
        let done = self.done
        self.done = nil
        done?(result)
    }
}
