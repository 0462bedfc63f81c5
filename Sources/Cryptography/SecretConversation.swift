internal import CGIO
internal import CGLib
internal import CSecret

/// One exchange with the Secret Service: asynchronous calls one after the other, until it is ended.
final class SecretConversation {
    private let cancellable = g_cancellable_new()
    private var kept: [UnsafeMutableRawPointer] = []
    private var isEnded = false
    var cleanup: () -> Void = {}

    /// Connects to the session bus and opens a session with the service.
    func open(_ done: @escaping (Result<UnsafeMutablePointer<SecretService>, VaultFailure>) -> Void) {
        call({ g_bus_get(G_BUS_TYPE_SESSION, $0, $1, $2) }) { [self] result in
            var error: UnsafeMutablePointer<GError>?
            guard let bus = g_bus_get_finish(result, &error) else {
                done(.failure(.absent(text(error))))
                return
            }
            keep(bus)
            // Else the end of the bus would end the process.
            g_dbus_connection_set_exit_on_close(bus, 0)
            guard g_dbus_connection_is_closed(bus) == 0 else {
                done(.failure(.silent("the session bus has gone; the platform must be started anew to find another")))
                return
            }
            call({
                secret_service_open(secret_service_get_type(), nil, SECRET_SERVICE_OPEN_SESSION, $0, $1, $2)
            }) { [self] result in
                var error: UnsafeMutablePointer<GError>?
                guard let service = secret_service_open_finish(result, &error) else {
                    done(.failure(failure(error) ?? .failed("it opens no session")))
                    return
                }
                keep(service)
                done(.success(service))
            }
        }
    }

    /// Releases an object at the end.
    func keep<Object>(_ object: UnsafeMutablePointer<Object>) { kept.append(UnsafeMutableRawPointer(object)) }
    func keep(_ object: OpaquePointer) { kept.append(UnsafeMutableRawPointer(object)) }

    /// Makes an asynchronous call; `then` gets its result, unless the conversation was ended meanwhile.
    func call(
        _ start: (UnsafeMutablePointer<GCancellable>?, @escaping GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void,
        then: @escaping (OpaquePointer?) -> Void
    ) {
        let answer = Answer { [self] result in if !isEnded { then(result) } }
        start(
            cancellable,
            { _, result, data in
                guard let data else { return }
                Unmanaged<Answer>.fromOpaque(data).takeRetainedValue().take(result)
            }, Unmanaged.passRetained(answer).toOpaque())
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        g_cancellable_cancel(cancellable)
        for object in kept { g_object_unref(object) }
        kept = []
        cleanup()
        cleanup = {}
    }

    deinit { g_object_unref(cancellable) }

    private final class Answer {
        let take: (OpaquePointer?) -> Void
        init(_ take: @escaping (OpaquePointer?) -> Void) { self.take = take }
    }
}

/// What an error means, which is freed; nil for none.
func failure(_ error: UnsafeMutablePointer<GError>?) -> VaultFailure? {
    guard let error else { return nil }
    let name = g_dbus_error_get_remote_error(error).map { name in
        defer { g_free(name) }
        return String(cString: name)
    }
    let isGone = g_error_matches(error, g_io_error_quark(), gint(G_IO_ERROR_CLOSED.rawValue)) != 0
    let isLocked = g_error_matches(error, secret_error_get_quark(), gint(SECRET_ERROR_IS_LOCKED.rawValue)) != 0
    let words = text(error)
    switch name {
    case "org.freedesktop.Secret.Error.IsLocked": return .locked
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        return .absent("no Secret Service on the session bus")
    case let name? where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."): return .absent(words)
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected",
        "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut":
        return .silent(words)
    default: return isLocked ? .locked : isGone ? .silent(words) : .failed(words)
    }
}

/// The words of an error, which is freed.
private func text(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "no reason given" }
    defer { g_error_free(error) }
    g_dbus_error_strip_remote_error(error)
    return error.pointee.message.map { String(cString: $0) } ?? "no reason given"
}
