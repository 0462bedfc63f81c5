internal import CGIO
internal import CGLib
internal import CSoup
public import EventLoop

/// What all connections of the core share: one libsoup session with its pool of connections, and the rules of trust.
///
/// Lives on the thread that made it, whose GLib context its loop pumps. HTTP/1.1 only, no cookies, no cache, no stored
/// credentials, no content codings; redirects are the caller's. Proxies are the system's: environment or desktop.
public final class NetworkSession {
    /// Larger than what browsers take, because a request that is not answered holds its place until its time-out.
    static let connectionsPerHost: UInt32 = 16
    static let connections: UInt32 = 256
    /// Seconds without a byte in either direction that end a connection's I/O.
    static let silence: UInt32 = 90

    let loop: Loop
    let raw: UnsafeMutablePointer<SoupSession>
    let authorities: CertificateAuthorities?
    let userAgent: String
    /// Injected on purpose.
    public var fault: NetworkFault? {
        didSet { if fault == .gone, oldValue != .gone { networkWent?() } }
    }
    /// Called when `fault` takes the network away.
    var networkWent: (() -> Void)?

    public init(loop: Loop, userAgent: String, authorities: CertificateAuthorities? = nil) {
        loop.requireCurrent()
        self.loop = loop
        self.authorities = authorities
        self.userAgent = userAgent
        raw = Self.makeSession()
        soup_session_set_user_agent(raw, userAgent)
        soup_session_set_timeout(raw, Self.silence)
        soup_session_remove_feature_by_type(raw, soup_content_decoder_get_type())
        soup_session_remove_feature_by_type(raw, soup_auth_manager_get_type())
    }

    /// The limits of connections can be given at construction only.
    private static func makeSession() -> UnsafeMutablePointer<SoupSession> {
        var values = [GValue(), GValue()]
        for index in values.indices { g_value_init(&values[index], GType(6 << 2)) }
        g_value_set_int(&values[0], gint(connections))
        g_value_set_int(&values[1], gint(connectionsPerHost))
        let session = "max-conns".withCString { total in
            "max-conns-per-host".withCString { perHost in
                var names: [UnsafePointer<CChar>?] = [total, perHost]
                return g_object_new_with_properties(soup_session_get_type(), 2, &names, values)
            }
        }
        guard let session else { preconditionFailure("libsoup made no session") }
        return UnsafeMutableRawPointer(session).assumingMemoryBound(to: SoupSession.self)
    }

    /// Everything under way must have been cancelled and have ended; connections are closed.
    public func close() {
        loop.requireCurrent()
        soup_session_abort(raw)
        g_object_unref(raw)
    }

    /// A message for `uri` that trusts as this session does: HTTP/1.1, no redirects followed by libsoup. To be released
    /// by `g_object_unref`. `trust` keeps what was wrong with the server's certificate.
    func makeMessage(_ method: String, _ uri: OpaquePointer, trust: TrustCheck) -> OpaquePointer {
        guard let message = soup_message_new_from_uri(method, uri) else {
            preconditionFailure("libsoup made no message")
        }
        soup_message_set_flags(message, SOUP_MESSAGE_NO_REDIRECT)
        trust.watch(message, authorities)
        Self.offerOnlyHTTP1(for: message)
        return message
    }

    /// This libsoup has no public way to leave HTTP/2 out, but tells of a connection before its handshake.
    private static func offerOnlyHTTP1(for message: OpaquePointer) {
        let handler:
            @convention(c) (
                OpaquePointer, GSocketClientEvent, UnsafeMutableRawPointer?, gpointer?
            ) -> Void = { _, event, connection, _ in
                guard event == G_SOCKET_CLIENT_TLS_HANDSHAKING, let connection else { return }
                "http/1.1".withCString { name in
                    var protocols: [UnsafePointer<CChar>?] = [name, nil]
                    g_tls_connection_set_advertised_protocols(
                        connection.assumingMemoryBound(to: GTlsConnection.self), &protocols)
                }
            }
        g_signal_connect_data(
            UnsafeMutableRawPointer(message), "network-event", unsafeBitCast(handler, to: GCallback.self), nil, nil,
            GConnectFlags(rawValue: 0))
    }
}

/// Decides about a server's certificate that the system's authorities do not stand for, and remembers why it was refused.
final class TrustCheck {
    /// Set once a certificate was refused.
    private(set) var problem: CertificateProblem?
    private var authorities: CertificateAuthorities?

    private var host = ""

    fileprivate func watch(_ message: OpaquePointer, _ authorities: CertificateAuthorities?) {
        let host = soup_message_get_uri(message).flatMap { g_uri_get_host($0) }
        watch(UnsafeMutableRawPointer(message), authorities, host: host.map { String(cString: $0) } ?? "")
    }

    /// - Parameter object: has GIO's signal `accept-certificate`, as libsoup's messages and GTlsConnection have.
    func watch(_ object: UnsafeMutableRawPointer, _ authorities: CertificateAuthorities?, host: String) {
        self.authorities = authorities
        self.host = host
        let handler:
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<GTlsCertificate>, GTlsCertificateFlags, gpointer
            ) -> gboolean = { _, certificate, flags, check in
                Unmanaged<TrustCheck>.fromOpaque(check).takeUnretainedValue().accepts(certificate, flags) ? 1 : 0
            }
        g_signal_connect_data(
            object, "accept-certificate", unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passRetained(self).toOpaque(),
            { check, _ in
                guard let check else { return }
                Unmanaged<TrustCheck>.fromOpaque(check).release()
            }, GConnectFlags(rawValue: 0))
    }

    private func accepts(
        _ certificate: UnsafeMutablePointer<GTlsCertificate>, _ flags: GTlsCertificateFlags
    ) -> Bool {
        var flags = flags
        if let authorities, let server = g_network_address_new(host, 443) {
            let ours = authorities.problems(of: certificate, for: server)
            g_object_unref(UnsafeMutableRawPointer(server))
            if ours.rawValue == 0 { return true }
            // A certificate that our own authorities know is judged by them.
            if ours.rawValue & G_TLS_CERTIFICATE_UNKNOWN_CA.rawValue == 0 { flags = ours }
        }
        problem = CertificateProblem(flags, isSelfSigned: ServerCertificate.isSelfSigned(certificate))
        return false
    }
}
