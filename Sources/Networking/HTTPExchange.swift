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

    /// Bytes that are read before the loop gets its turn.
    private static let mostPerTurn = 1 << 20
    /// A redirect's body is of no use; more of it costs the connection.
    private static let longestRedirectBody = 65536

    private let message: OpaquePointer
    private let host: String
    private let wantedHeaders: [String]
    private let longestBody: Int
    private let trust: TrustCheck
    private let cancellable = g_cancellable_new()
    private let received = ReceivedBytes()
    private var stream: UnsafeMutablePointer<GInputStream>?
    private var isAtEnd = false
    private var isRedirect = false
    /// Announced by the reply; nil where its end shows otherwise.
    private var length: Int?
    private var done: ((Result<Reply, HTTPFailure>) -> Void)?

    init(_ request: HTTPRequest, session: NetworkSession) {
        let trust = TrustCheck()
        self.trust = trust
        message = request.address.withURI { session.makeMessage(request.method.rawValue, $0, trust: trust) }
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
    func cancel() { g_cancellable_cancel(cancellable) }

    private var isCancelled: Bool { g_cancellable_is_cancelled(cancellable) != 0 }

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
        stream = opened
        let headers = soup_message_get_response_headers(message)
        isRedirect =
            [301, 302, 303, 307, 308].contains(status) && soup_message_headers_get_one(headers, "Location") != nil
        if soup_message_headers_get_encoding(headers) == SOUP_ENCODING_CONTENT_LENGTH {
            length = Int(clamping: soup_message_headers_get_content_length(headers))
        }
        if let fault = headFault(headers) {
            finish(.failure(.reply(fault, status: status)))
        } else {
            read()
        }
    }

    private var status: Int { Int(soup_message_get_status(message).rawValue) }

    private func headFault(_ headers: OpaquePointer?) -> ReplyFault? {
        if let coding = soup_message_headers_get_list(headers, "Content-Encoding").map({ String(cString: $0) }),
            !coding.isEmpty, coding.lowercased() != "identity", !isRedirect
        {
            return .coding(coding)
        }
        guard let length, !isRedirect else { return nil }
        guard length <= longestBody else { return .tooBig(limit: longestBody) }
        return received.reserve(length) ? nil : .noMemory(length)
    }

    private func failure(beforeHead error: GLibError) -> HTTPFailure {
        if isCancelled { return .cancelled }
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

    /// Takes what is there, then waits for more; at most `mostPerTurn` at once.
    private func read() {
        guard let stream else { return }
        var left = Self.mostPerTurn
        let pollable = OpaquePointer(stream)
        let limit = isRedirect ? Self.longestRedirectBody : longestBody
        while left > 0 {
            // One byte more than may come, to see whether more comes.
            guard let room = received.room(upTo: limit + 1) else {
                finish(.failure(.reply(.noMemory(received.count), status: status)))
                return
            }
            do throws(GLibError) {
                let count = try catchingGLibError { error in
                    g_pollable_input_stream_read_nonblocking(
                        pollable, room.baseAddress, gsize(min(room.count, left)), cancellable, error)
                }
                guard count > 0 else {
                    isAtEnd = true
                    ended()
                    return
                }
                received.filled(count)
                left -= count
            } catch {
                guard error.isIO(G_IO_ERROR_WOULD_BLOCK) else {
                    finish(.failure(failure(insideBody: error)))
                    return
                }
                break
            }
            guard received.count <= limit else {
                finish(isRedirect ? .success(reply()) : .failure(.reply(.tooBig(limit: longestBody), status: status)))
                return
            }
        }
        wait(for: pollable)
    }

    private func wait(for pollable: OpaquePointer) {
        guard let source = g_pollable_input_stream_create_source(pollable, cancellable) else { return }
        let ready: @convention(c) (OpaquePointer?, gpointer?) -> gboolean = { _, exchange in
            guard let exchange else { return 0 }
            Unmanaged<HTTPExchange>.fromOpaque(exchange).takeUnretainedValue().read()
            return 0
        }
        g_source_set_callback(
            source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(self).toOpaque(),
            { exchange in
                guard let exchange else { return }
                Unmanaged<HTTPExchange>.fromOpaque(exchange).release()
            })
        g_source_attach(source, g_main_context_get_thread_default())
        g_source_unref(source)
    }

    private func ended() {
        let isShort = length.map { received.count < $0 } ?? isCutHead
        guard !isShort || isRedirect else {
            finish(.failure(.reply(.cutShort(received: received.count), status: status)))
            return
        }
        finish(.success(reply()))
    }

    /// libsoup takes a connection that ends inside the headers for one that ends behind them. A reply that has no length,
    /// does not say that it ends with the connection, and then has nothing at all, is taken for such a one.
    private var isCutHead: Bool {
        let headers = soup_message_get_response_headers(message)
        return received.count == 0 && soup_message_headers_get_encoding(headers) == SOUP_ENCODING_EOF
            && soup_message_get_http_version(message) == SOUP_HTTP_1_1
            && soup_message_headers_header_contains(headers, "Connection", "close") == 0
    }

    private func failure(insideBody error: GLibError) -> HTTPFailure {
        if isCancelled { return .cancelled }
        if error.isIO(G_IO_ERROR_TIMED_OUT) { return .connect(.timedOut, host: host) }
        return .reply(.cutShort(received: received.count), status: status)
    }

    private func reply() -> Reply {
        let headers = soup_message_get_response_headers(message)
        var wanted: [HTTPRequest.Header] = []
        for name in wantedHeaders {
            guard let value = soup_message_headers_get_list(headers, name) else { continue }
            wanted.append(HTTPRequest.Header(name.lowercased(), Self.text(value)))
        }
        let location = isRedirect ? soup_message_headers_get_one(headers, "Location").map(Self.bytes) : nil
        return Reply(status: status, headers: wanted, location: location, body: received)
    }

    private static func bytes(_ value: UnsafePointer<CChar>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// Each byte is a character, as the fetch standard has it.
    private static func text(_ value: UnsafePointer<CChar>) -> String {
        String(String.UnicodeScalarView(bytes(value).map { Unicode.Scalar($0) }))
    }

    // MARK: The end

    private func finish(_ result: Result<Reply, HTTPFailure>) {
        closeStream()
        let done = self.done
        self.done = nil
        done?(result)
    }

    /// A stream that is let go before its end would wait for its end, and the thread with it: it is closed as cancelled,
    /// and its connection with it.
    private func closeStream() {
        guard let stream else { return }
        self.stream = nil
        defer { g_object_unref(stream) }
        guard !isAtEnd else { return }
        g_cancellable_cancel(cancellable)
        g_input_stream_close_async(
            stream, G_PRIORITY_DEFAULT, cancellable,
            { _, _, exchange in
                guard let exchange else { return }
                Unmanaged<HTTPExchange>.fromOpaque(exchange).release()
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
