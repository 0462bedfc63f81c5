import CoreHosting
import EventLoop
import JSEngine
import Networking
import TestSupport
import Testing

/// A context with the port `http_request`, as the core's has it.
func withHTTP<Value: Sendable>(
    authority: String? = nil, _ body: @escaping @Sendable (JSEngineHost, NetworkInjectedFns) throws -> Value
) throws -> Value {
    try withEngine { engine, log in
        let session = NetworkSession(
            loop: engine.loop, userAgent: "tests/1",
            authorities: try authority.map { try CertificateAuthorities(path: $0) })
        let requests = try HTTPFixture.register(session, on: engine)
        defer {
            requests.close()
            session.close()
        }
        let value = try body(engine, requests)
        #expect(log.uncaught.map { "\($0.kind): \($0.error)" } == [])
        return value
    }
}

enum HTTPFixture {
    static func register(_ session: NetworkSession, on engine: JSEngineHost) throws -> NetworkInjectedFns {
        let requests = NetworkInjectedFns(session: session)
        requests.registerAll(on: engine)
        try engine.evaluate(
            """
            /** Calls the port; arguments that are not named are left out. */
            const http = async (method, url, { type, sessionId, headers, wanted, timeout, retries, contentType, body } = {}) =>
                __nativeCallDispatch("http_request",
                    [method, url, type, sessionId, headers, wanted, timeout, retries, contentType, body]);
            const text = bytes => String.fromCharCode(...bytes);
            const bytes = text => Uint8Array.from(text, c => c.charCodeAt(0));
            /** What a call is rejected with, as a value. */
            const failure = promise => promise.then(reply => ({ reply: reply.status }), exception => exception);
            """, sourceName: "http-fixture.js")
        return requests
    }
}

/// JSON of what `script`, the body of an async function, returns.
func onHTTP(authority: String? = nil, _ script: String) throws -> String {
    try withHTTP(authority: authority) { engine, _ in try engine.settle("(async () => { \(script) })()") }
}

/// Servers that several tests ask: 0 plain, 1 with a good certificate.
final class Servers: Sendable {
    static let shared = Result { try Servers() }

    let certificates: Certificates
    let nginx: Nginx

    private init() throws {
        certificates = try Certificates()
        let inside = """
            root www;
            location /reflect {
                add_header X-Obj-Version 7;
                add_header X-Twice one; add_header X-Twice two;
                default_type application/json;
                return 200 '{"method":"$request_method","uri":"$request_uri","session":"$http_x_session_id","type":"$content_type","length":"$content_length","agent":"$http_user_agent","encoding":"$http_accept_encoding","cookie":"$http_cookie","authorization":"$http_authorization","own":"$http_x_own","protocol":"$server_protocol"}';
            }
            location /status/ { location ~ ^/status/401$ { return 401 no; } location ~ ^/status/474$ { return 474 odd; }
                location ~ ^/status/500$ { return 500 bad; } location ~ ^/status/201$ { return 201 made; }
                location ~ ^/status/204$ { return 204; } }
            location /text { return 200 'gr\u{FC}n \u{1F600}'; }
            location /broken { return 200 '{"a":'; }
            location /empty { return 200 ''; }
            location /files/ { dav_methods PUT DELETE; create_full_put_path on; client_body_in_single_buffer on; }
            location /redirect/301 { return 301 /reflect?by=301; } location /redirect/302 { return 302 /reflect?by=302; }
            location /redirect/303 { return 303 /reflect?by=303; } location /redirect/307 { return 307 /reflect?by=307; }
            location /redirect/308 { return 308 /reflect?by=308; } location /redirect/loop { return 302 /redirect/loop; }
            location /redirect/odd { return 302 ftp://localhost/; }
            add_header Set-Cookie tracked=yes;
            """
        nginx = try Nginx([(nil, inside), (try certificates.server(), inside)])
    }

    static func plain(_ path: String) throws -> String { try shared.get().nginx.url(path) }

    static func secure(_ path: String) throws -> String { try shared.get().nginx.url(path, server: 1, isSecure: true) }

    static func authority() throws -> String { try shared.get().certificates.authority }
}
