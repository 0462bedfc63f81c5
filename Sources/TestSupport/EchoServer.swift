internal import CGIO
internal import CGLib
internal import CSoup
internal import EventLoop

/// An honest WebSocket server, libsoup's: sends each text back, closes with 4001 and the rest as reason at `close …`,
/// and refuses other paths than `/echo`.
public final class EchoServer: Sendable {
    public let port: Int
    public let events = EventList()
    private let commands = Mailbox<Void>()
    private let thread: Thread

    private final class Start: Sendable {
        let done = Semaphore()
        let port = Box()
        final class Box: @unchecked Sendable {
            // Unchecked: written before `done` is posted, read after.
            var value = 0
        }
    }

    public init() throws {
        let (events, commands, start) = (events, commands, Start())
        thread = try Thread {
            do {
                let loop = try Loop(pumpingGLib: true)
                let service = EchoService(events)
                start.port.value = service.listen()
                try commands.open(on: loop) { _ in
                    service.close()
                    commands.close()
                }
                start.done.post()
                loop.run()
                loop.close()
            } catch {
                start.done.post()
            }
        }
        start.done.wait()
        port = start.port.value
        guard port != 0 else { throw TestFailure("no WebSocket server") }
    }

    public func url(_ path: String = "/echo") -> String { "ws://127.0.0.1:\(port)\(path)" }

    deinit {
        commands.send(())
        thread.join()
    }
}

/// On its loop's thread.
private final class EchoService {
    private let events: EventList
    private let server: OpaquePointer

    init(_ events: EventList) {
        self.events = events
        var names: [UnsafePointer<CChar>?] = []
        guard let made = g_object_new_with_properties(soup_server_get_type(), 0, &names, nil) else {
            preconditionFailure("libsoup made no server")
        }
        server = OpaquePointer(made)
    }

    /// The port; 0 when that fails.
    func listen() -> Int {
        let raw = UnsafeMutablePointer<SoupServer>(server)
        soup_server_add_websocket_handler(
            raw, "/echo", nil, nil,
            { _, _, path, connection, me in
                guard let connection, let me else { return }
                Unmanaged<EchoService>.fromOpaque(me).takeUnretainedValue().opened(connection)
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        guard soup_server_listen_local(raw, 0, SOUP_SERVER_LISTEN_IPV4_ONLY, nil) != 0 else { return 0 }
        guard let uris = soup_server_get_uris(raw), let first = uris.pointee.data else { return 0 }
        defer { g_slist_free_full(uris) { uri in if let uri { g_uri_unref(OpaquePointer(uri)) } } }
        return Int(g_uri_get_port(OpaquePointer(first)))
    }

    private func opened(_ connection: OpaquePointer) {
        g_object_ref(UnsafeMutableRawPointer(connection))
        let me = Unmanaged.passUnretained(self).toOpaque()
        let message: @convention(c) (OpaquePointer, gint, OpaquePointer, gpointer) -> Void = {
            connection, type, bytes, me in
            var size = gsize(0)
            guard let data = g_bytes_get_data(bytes, &size), type == SOUP_WEBSOCKET_DATA_TEXT.rawValue else { return }
            let text = String(decoding: UnsafeRawBufferPointer(start: data, count: Int(size)), as: UTF8.self)
            if text.hasPrefix("close ") {
                soup_websocket_connection_close(connection, 4001, String(text.dropFirst(6)))
            } else {
                soup_websocket_connection_send_text(connection, text)
            }
        }
        let closed: @convention(c) (OpaquePointer, gpointer) -> Void = { connection, me in
            let code = soup_websocket_connection_get_close_code(connection)
            let reason = soup_websocket_connection_get_close_data(connection).map { String(cString: $0) } ?? ""
            Unmanaged<EchoService>.fromOpaque(me).takeUnretainedValue().events.add("closed \(code) \(reason)")
            g_object_unref(UnsafeMutableRawPointer(connection))
        }
        for (name, function) in [
            ("message", unsafeBitCast(message, to: GCallback.self)),
            ("closed", unsafeBitCast(closed, to: GCallback.self)),
        ] {
            g_signal_connect_data(
                UnsafeMutableRawPointer(connection), name, function, me, nil, GConnectFlags(rawValue: 0))
        }
        events.add("opened")
    }

    func close() {
        soup_server_disconnect(UnsafeMutablePointer<SoupServer>(server))
        g_object_unref(UnsafeMutableRawPointer(server))
    }
}
