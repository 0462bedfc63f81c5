internal import CGIO
internal import CGLib
public import EventLoop

/// Whether there is a network, as GIO's GNetworkMonitor sees it, and news of its changes. Made on the thread whose GLib
/// context is iterated: the monitor's news come to the first one that asks for it in the process.
public final class ConnectivityMonitor {
    /// A change of the network is a burst of small ones (an address goes, then its routes): only what has lasted this
    /// long is told.
    private static let settling = Duration.milliseconds(100)

    private let monitor: OpaquePointer
    private let timer: Timer
    private let changed: (Bool) -> Void
    private var handler: gulong = 0
    private var told: Bool

    /// `changed` is called with the new state, and only when it is another one than was told last.
    public init(on loop: Loop, changed: @escaping (_ isOnline: Bool) -> Void) {
        Self.surviveTheSystemBus()
        guard let monitor = g_network_monitor_get_default() else { preconditionFailure("GIO has no network monitor") }
        self.monitor = monitor
        self.changed = changed
        timer = Timer(on: loop)
        timer.unreference()
        told = g_network_monitor_get_network_available(monitor) != 0
        let news: @convention(c) (OpaquePointer, gboolean, gpointer) -> Void = { _, _, owner in
            Unmanaged<ConnectivityMonitor>.fromOpaque(owner).takeUnretainedValue().hasNews()
        }
        handler = g_signal_connect_data(
            UnsafeMutableRawPointer(monitor), "network-changed", unsafeBitCast(news, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    public var isOnline: Bool { !isGone && g_network_monitor_get_network_available(monitor) != 0 }

    /// A fault on purpose: there is no network, whatever GIO sees.
    public var isGone = false {
        didSet { hasNews() }
    }

    public func close() {
        timer.close()
        guard handler != 0 else { return }
        g_signal_handler_disconnect(UnsafeMutableRawPointer(monitor), handler)
        handler = 0
    }

    private func hasNews() {
        timer.start(after: Self.settling) { [unowned self] in
            let isOnline = isOnline
            guard isOnline != told else { return }
            told = isOnline
            changed(isOnline)
        }
    }

    /// Where NetworkManager runs, the monitor keeps the process's shared connection with the system bus; by default
    /// GIO ends a process whose bus goes away.
    private static func surviveTheSystemBus() {
        guard let bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, nil, nil) else { return }
        g_dbus_connection_set_exit_on_close(bus, 0)
        g_object_unref(UnsafeMutableRawPointer(bus))
    }
}
