internal import CGIO
internal import CGLib
public import EventLoop
internal import Glibc

/// News of the machine's suspend and resume: logind's signal `PrepareForSleep` on the system bus, whose address is
/// `DBUS_SYSTEM_BUS_ADDRESS` or the usual one.
///
/// What happens, in this order:
/// 1. While the machine is awake, logind's delay inhibitor is held: a descriptor whose closing lets the machine sleep.
/// 2. The machine will sleep: `suspends(done)`. At `done()`, or after `allowance`, the inhibitor is let go.
/// 3. The machine is awake again: `resumes()`, and the inhibitor is taken anew.
///
/// Without a bus, or without logind on it, one line says so and nothing happens. A bus that was there is looked for
/// again when it has gone; logind may come and go as it likes.
public final class SleepMonitor {
    /// logind itself waits 5 s for those who hold an inhibitor, by default.
    public static let usualAllowance = Duration.seconds(4)
    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let longestWait = 60_000

    private let allowance: Duration
    private let log: (String) -> Void
    private let suspends: (_ done: @escaping () -> Void) -> Void
    private let resumes: () -> Void
    private let allowanceTimer: Timer
    private let retryTimer: Timer
    private let cancellable = g_cancellable_new()
    private var bus: Bus?
    private var managerIsThere = false
    private var inhibitor: Int32?
    /// Counts sleeps, so that an answer that comes late changes nothing.
    private var sleeps = 0
    private var isAsleep = false
    private var isClosed = false
    private var wait = 1000

    /// A connection of our own, with what was asked of it.
    private struct Bus {
        let connection: OpaquePointer
        let closedHandler: gulong
        let subscription: guint
        let watch: guint
    }

    /// - Parameters:
    ///   - log: for lines of little weight.
    ///   - suspends: the machine will sleep once `done` was called, which may be at once, later, twice or never.
    public init(
        on loop: Loop, allowance: Duration = usualAllowance, log: @escaping (String) -> Void,
        suspends: @escaping (_ done: @escaping () -> Void) -> Void, resumes: @escaping () -> Void
    ) {
        self.allowance = allowance
        self.log = log
        self.suspends = suspends
        self.resumes = resumes
        allowanceTimer = Timer(on: loop)
        allowanceTimer.unreference()
        retryTimer = Timer(on: loop)
        retryTimer.unreference()
        connect { [unowned self] reason in
            self.log("no news of the machine's suspend and resume: no system bus (\(reason))")
        }
    }

    public func close() {
        guard !isClosed else { return }
        isClosed = true
        g_cancellable_cancel(cancellable)
        leaveBus()
        allowanceTimer.close()
        retryTimer.close()
    }

    deinit { g_object_unref(cancellable) }

    // MARK: The bus

    private func connect(failed: @escaping (_ reason: String) -> Void) {
        var error: UnsafeMutablePointer<GError>?
        guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, nil, &error) else {
            failed(Self.words(taking: error))
            return
        }
        defer { g_free(address) }
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        g_dbus_connection_new_for_address(
            address, flags, nil, cancellable, GIOCallback.function,
            GIOCallback.data { [weak self] result in
                var error: UnsafeMutablePointer<GError>?
                let connection = g_dbus_connection_new_for_address_finish(result, &error)
                guard let self, !isClosed else {
                    if let connection { g_object_unref(UnsafeMutableRawPointer(connection)) }
                    if let error { g_error_free(error) }
                    return
                }
                if let connection {
                    wait = 1000
                    join(connection)
                } else {
                    failed(Self.words(taking: error))
                }
            })
    }

    private func join(_ connection: OpaquePointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        let closed: @convention(c) (OpaquePointer, gboolean, UnsafePointer<GError>?, gpointer) -> Void = {
            Unmanaged<SleepMonitor>.fromOpaque($3).takeUnretainedValue().busClosed()
        }
        let closedHandler = g_signal_connect_data(
            UnsafeMutableRawPointer(connection), "closed", unsafeBitCast(closed, to: GCallback.self), me, nil,
            GConnectFlags(rawValue: 0))
        let subscription = g_dbus_connection_signal_subscribe(
            connection, Self.service, Self.manager, "PrepareForSleep", Self.path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, parameters, me in
                guard let parameters, let me, String(cString: g_variant_get_type_string(parameters)) == "(b)" else {
                    return
                }
                let starts = g_variant_get_child_value(parameters, 0)
                defer { g_variant_unref(starts) }
                let monitor = Unmanaged<SleepMonitor>.fromOpaque(me).takeUnretainedValue()
                if g_variant_get_boolean(starts) != 0 { monitor.willSleep() } else { monitor.isAwake() }
            }, me, nil)
        let watch = g_bus_watch_name_on_connection(
            connection, Self.service, G_BUS_NAME_WATCHER_FLAGS_NONE,
            { _, _, _, me in
                guard let me else { return }
                Unmanaged<SleepMonitor>.fromOpaque(me).takeUnretainedValue().managerAppeared()
            },
            { _, _, me in
                guard let me else { return }
                Unmanaged<SleepMonitor>.fromOpaque(me).takeUnretainedValue().managerIsGone()
            }, me, nil)
        bus = Bus(connection: connection, closedHandler: closedHandler, subscription: subscription, watch: watch)
    }

    private func leaveBus() {
        release()
        guard let bus else { return }
        self.bus = nil
        managerIsThere = false
        g_bus_unwatch_name(bus.watch)
        g_dbus_connection_signal_unsubscribe(bus.connection, bus.subscription)
        g_signal_handler_disconnect(UnsafeMutableRawPointer(bus.connection), bus.closedHandler)
        g_object_unref(UnsafeMutableRawPointer(bus.connection))
    }

    private func busClosed() {
        leaveBus()
        log("the system bus has gone; it is looked for again")
        retry()
        // The news of being awake again cannot come any more.
        isAwake()
    }

    private func retry() {
        retryTimer.start(afterMilliseconds: UInt64(wait)) { [unowned self] in
            connect { [unowned self] _ in retry() }
        }
        wait = min(wait * 2, Self.longestWait)
    }

    private func managerAppeared() {
        managerIsThere = true
        inhibit()
    }

    private func managerIsGone() {
        managerIsThere = false
        release()
        log("no news of the machine's suspend and resume for now: no logind on the system bus")
        isAwake()
    }

    // MARK: Sleep

    private func inhibit() {
        guard let bus, managerIsThere, inhibitor == nil, !isAsleep else { return }
        let texts = ["sleep", "corehost", "the core stores what it holds", "delay"].map { (text: String) in
            g_variant_new_string(text)
        }
        let replyType = g_variant_type_new("(h)")
        defer { g_variant_type_free(replyType) }
        let sleeps = sleeps
        g_dbus_connection_call_with_unix_fd_list(
            bus.connection, Self.service, Self.path, Self.manager, "Inhibit", g_variant_new_tuple(texts, 4),
            replyType, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, cancellable,
            GIOCallback.function,
            GIOCallback.data { [weak self] result in
                let outcome = Self.descriptor(of: result, on: bus.connection)
                guard let self, !isClosed, self.bus?.connection == bus.connection else {
                    if case .success(let descriptor) = outcome { Glibc.close(descriptor) }
                    return
                }
                switch outcome {
                case .success(let descriptor):
                    guard sleeps == self.sleeps, inhibitor == nil, !isAsleep else {
                        Glibc.close(descriptor)
                        return
                    }
                    inhibitor = descriptor
                case .failure(let refusal):
                    log("the machine will not wait for the core before it sleeps: \(refusal.words)")
                }
            })
    }

    private struct Refusal: Error {
        let words: String
    }

    private static func descriptor(
        of result: OpaquePointer?, on connection: OpaquePointer
    ) -> Result<Int32, Refusal> {
        var list: UnsafeMutablePointer<GUnixFDList>?
        var error: UnsafeMutablePointer<GError>?
        guard let reply = g_dbus_connection_call_with_unix_fd_list_finish(connection, &list, result, &error) else {
            return .failure(Refusal(words: words(taking: error)))
        }
        defer { g_variant_unref(reply) }
        defer { if let list { g_object_unref(list) } }
        let handle = g_variant_get_child_value(reply, 0)
        defer { g_variant_unref(handle) }
        guard let list else { return .failure(Refusal(words: "logind gave no descriptor")) }
        let descriptor = g_unix_fd_list_get(list, g_variant_get_handle(handle), &error)
        return descriptor >= 0 ? .success(descriptor) : .failure(Refusal(words: words(taking: error)))
    }

    private func willSleep() {
        guard !isAsleep else { return }
        isAsleep = true
        sleeps += 1
        let sleep = sleeps
        allowanceTimer.start(after: allowance) { [unowned self] in
            log("the core was not ready for the machine's sleep within \(allowance)")
            release()
        }
        suspends { [weak self] in
            guard let self, sleep == sleeps, isAsleep, !isClosed else { return }
            release()
        }
    }

    private func isAwake() {
        guard isAsleep else { return }
        isAsleep = false
        release()
        resumes()
        inhibit()
    }

    private func release() {
        allowanceTimer.stop()
        guard let descriptor = inhibitor else { return }
        inhibitor = nil
        Glibc.close(descriptor)
    }

    private static func words(taking error: UnsafeMutablePointer<GError>?) -> String {
        guard let error else { return "no reason given" }
        defer { g_error_free(error) }
        return error.pointee.message.map { String(cString: $0) } ?? "no reason given"
    }
}
