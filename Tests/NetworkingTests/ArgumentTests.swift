import TestSupport
import Testing

/// What would put something into a request is refused, before anything is sent.
@Suite struct ArgumentTests {
    private func refusal(_ call: (_ url: String) -> String) throws -> String {
        let server = try RawServer { $0.readHead() }
        let script = """
            const e = await failure(\(call(server.url("/p"))));
            return e.reply ?? (e.type === 'port' && e.badArgument ? e.message : e.type);
            """
        let message = try onHTTP(script)
        #expect(server.count == 0)
        return message
    }

    @Test(
        arguments: [
            ("", "url must be a non-empty string"), ("/only/a/path", "no absolute URL"),
            ("http:", "no absolute URL"),
            ("http:/host", "no absolute URL"), ("http://", "no host"), ("http:///p", "no host"),
            ("ftp://127.0.0.1/", "the scheme must be http or https, not ftp"),
            ("file:///etc/passwd", "the scheme must be"),
            ("javascript:1", "the scheme must be"), ("data:text/plain,x", "the scheme must be"),
            ("ws://127.0.0.1/", "the scheme must be"), ("http://user@127.0.0.1/", "a user or a password in a URL"),
            ("http://user:pass@127.0.0.1/", "a user or a password in a URL"), ("http://127.0.0.1/a b", "U+20"),
            ("http://127.0.0.1/\\r\\nX: y", "U+D"), ("http://127.0.0.1/\\n", "U+A"), ("http://127.0.0.1/\\t", "U+9"),
            (" http://127.0.0.1/", "U+20"), ("http://127.0.0.1/ü", "U+FC"), ("http://127.0.0.1\\\\@x/", "U+5C"),
            ("http://a%0d%0ab/", "is no host"), ("http://a%00/", "is no host"),
            ("http://127.0.0.1:99999/", "no absolute URL"),
            ("http://127.0.0.1:x/", "no absolute URL"), ("http://[::1/", "no absolute URL"), ("http://ä.test/", "U+E4"),
        ])
    func urls(url: String, reason: String) throws {
        let message = try refusal { _ in "http('GET', '\(url)')" }
        #expect(message.contains(reason), "\(message)")
    }

    @Test func veryLongURL() throws {
        let message = try refusal { "http('GET', '\($0)' + 'x'.repeat(70000))" }
        #expect(message.contains("characters are too many; at most 65536"))
    }

    @Test(
        arguments: [
            ("'A\\r\\nB'", "'v'", "is no header name"), ("'A B'", "'v'", "is no header name"),
            ("''", "'v'", "is no header name"),
            ("'A:'", "'v'", "is no header name"), ("'Ä'", "'v'", "is no header name"), ("'X'", "'a\\r\\nB: c'", "U+D"),
            ("'X'", "'a\\nb'", "U+A"), ("'X'", "'a\\0b'", "U+0"), ("'X'", "'ü'", "U+FC"), ("'X'", "'\\x7f'", "U+7F"),
            ("'X'", "'y'.repeat(70000)", "at most 65536"), ("'host'", "'evil'", "set by the platform"),
            ("'Content-Length'", "'5'", "set by the platform"),
            ("'Transfer-Encoding'", "'chunked'", "set by the platform"),
            ("'Connection'", "'close'", "set by the platform"), ("'Upgrade'", "'h2c'", "set by the platform"),
            ("'Expect'", "'100-continue'", "set by the platform"), ("'Cookie'", "'a=b'", "set by the platform"),
            ("'Accept-Encoding'", "'gzip'", "set by the platform"),
            ("'Proxy-Authorization'", "'x'", "set by the platform"),
            ("'TE'", "'trailers'", "set by the platform"), ("'X-Session-Id'", "'s'", "argument of its own, sessionId"),
            ("'content-type'", "'s'", "argument of its own, contentType"),
        ])
    func headers(name: String, value: String, reason: String) throws {
        let message = try refusal { "http('POST', '\($0)', { headers: { [\(name)]: \(value) } })" }
        #expect(message.contains(reason), "\(message)")
    }

    @Test(
        arguments: [
            ("'GET', URL, { sessionId: 'a\\r\\nX: y' }", "U+D"), ("'POST', URL, { contentType: 'a\\nb' }", "U+A"),
            ("'GET', URL, { wanted: ['a b'] }", "is no header name"),
            ("'GET', URL, { wanted: [''] }", "is no header name"),
            ("'GET', URL, { body: new Uint8Array(1) }", "body cannot go with GET"),
            ("'GET', URL, { body: new Uint8Array(0) }", "body cannot go with GET"),
            ("'DELETE', URL, { body: new Uint8Array(1) }", "body cannot go with DELETE"),
            ("'GET', URL, { contentType: 'a/b' }", "contentType cannot go with GET"),
            ("'PATCH', URL", "method must be one of GET, POST, PUT, DELETE"), ("'get', URL", "method must be one of"),
            ("'GET', URL, { type: 'blob' }", "responseType must be one of json, arraybuffer, text"),
            ("'GET', URL, { timeout: -1 }", "timeout must be"), ("'GET', URL, { timeout: NaN }", "timeout must be"),
            ("'GET', URL, { retries: 1e9 }", "timeoutRetries must be"),
            ("'POST', URL, { body: 'text' }", "body must be"),
            (
                "'GET', URL, { headers: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, ''])) }",
                "at most 256"
            ),
        ])
    func others(call: String, reason: String) throws {
        let message = try refusal { "http(\(call.replacing("URL", with: "'\($0)'")))" }
        #expect(message.contains(reason), "\(message)")
    }
}
