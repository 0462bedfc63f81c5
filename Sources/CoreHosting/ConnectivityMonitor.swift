internal import CGIO

/// Whether there is a network, as GIO's GNetworkMonitor sees it. First touched on the core's thread, whose GLib context
/// its news then come to.
final class ConnectivityMonitor {
    private let monitor = g_network_monitor_get_default()

    var isOnline: Bool { g_network_monitor_get_network_available(monitor) != 0 }
}
