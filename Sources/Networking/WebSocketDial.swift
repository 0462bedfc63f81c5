internal import CGIO
internal import CGLib
internal import EventLoop

/// The way to a server: look-up, proxies, connection, TLS.
final class WebSocketDial {
    private let address: WebAddress
    private let trust = TrustCheck()
    private let authorities: CertificateAuthorities?
    private let loop: Loop
    private let cancellable = g_cancellable_new()

    init(_ address: WebAddress, authorities: CertificateAuthorities?, on loop: Loop) {
        self.address = address
        self.authorities = authorities
        self.loop = loop
    }

    deinit { g_object_unref(cancellable) }

    /// `done` is called once, later; after `cancel()` with a failure.
    func start(done: @escaping (Result<WebSocketStream, ConnectFailure>) -> Void) {
        var error: UnsafeMutablePointer<GError>?
        guard let server = g_network_address_parse_uri(address.connectAddress, 0, &error) else {
            preconditionFailure("a checked address was not parsed: \(address)")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(server)) }
        let client = g_socket_client_new()
        defer { g_object_unref(client) }
        if address.isSecure {
            g_socket_client_set_tls(client, 1)
            watchHandshake(client)
        }
        g_socket_client_connect_async(
            client, server, cancellable, GIOCallback.function,
            GIOCallback.data { [self] result in
                var error: UnsafeMutablePointer<GError>?
                if let connection = g_socket_client_connect_finish(client, result, &error) {
                    done(.success(WebSocketStream(taking: connection, on: loop)))
                } else if let error {
                    done(.failure(ConnectFailure(cause: ConnectCause(GLibError(taking: error), trust))))
                }
            })
    }

    func cancel() { g_cancellable_cancel(cancellable) }

    private func watchHandshake(_ client: UnsafeMutablePointer<GSocketClient>?) {
        let handler:
            @convention(c) (
                OpaquePointer, GSocketClientEvent, OpaquePointer, UnsafeMutableRawPointer?, gpointer
            ) -> Void = { _, event, _, connection, dial in
                guard event == G_SOCKET_CLIENT_TLS_HANDSHAKING, let connection else { return }
                let dial = Unmanaged<WebSocketDial>.fromOpaque(dial).takeUnretainedValue()
                let tls = connection.assumingMemoryBound(to: GTlsConnection.self)
                "http/1.1".withCString { name in
                    var protocols: [UnsafePointer<CChar>?] = [name, nil]
                    g_tls_connection_set_advertised_protocols(tls, &protocols)
                }
                dial.trust.watch(connection, dial.authorities, host: dial.address.host)
            }
        g_signal_connect_data(
            client, "event", unsafeBitCast(handler, to: GCallback.self), Unmanaged.passRetained(self).toOpaque(),
            { dial, _ in
                guard let dial else { return }
                Unmanaged<WebSocketDial>.fromOpaque(dial).release()
            }, GConnectFlags(rawValue: 0))
    }
}

struct ConnectFailure: Error {
    let cause: ConnectCause
}
