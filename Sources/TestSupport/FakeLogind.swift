internal import CGIO
internal import CGLib
internal import EventLoop
internal import Glibc

/// What logind shows to those who care about the machine's sleep, on a bus of the test's own.
///
/// `events` gets `inhibited <what> <mode> by <who>` for each inhibitor taken, and `released` when one is let go.
public final class FakeLogind: Sendable {
    public let events = EventList()
    private let commands = Mailbox<Command>()
    private let thread: Thread

    private enum Command: Sendable { case prepareForSleep(Bool), stop }

    /// Returns once it has the name on the bus. Inhibitors are refused where `refuses` is true.
    public init(on bus: MessageBus, refuses: Bool = false) throws {
        let (address, events, commands) = (bus.address, events, commands)
        thread = try Thread {
            do {
                let loop = try Loop(pumpingGLib: true)
                let service = try LogindService(address: address, loop: loop, events: events, refuses: refuses)
                try commands.open(on: loop) { command in
                    switch command {
                    case .prepareForSleep(let starts): service.prepareForSleep(starts)
                    case .stop:
                        service.close()
                        commands.close()
                    }
                }
                events.add("there")
                loop.run()
                loop.close()
            } catch {
                events.add("failed: \(error)")
            }
        }
        guard events.wait(for: "there") else { throw TestFailure("no logind: \(events.all)") }
    }

    public func prepareForSleep(_ starts: Bool) { commands.send(.prepareForSleep(starts)) }

    /// Leaves the bus.
    public func stop() {
        commands.send(.stop)
        thread.join()
    }
}

/// On its loop's thread.
private final class LogindService {
    private static let interface = """
        <node><interface name="org.freedesktop.login1.Manager">
        <method name="Inhibit"><arg type="s" direction="in"/><arg type="s" direction="in"/>
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="h" direction="out"/></method>
        <signal name="PrepareForSleep"><arg type="b"/></signal></interface></node>
        """

    private let loop: Loop
    private let events: EventList
    private let refuses: Bool
    private let connection: OpaquePointer
    private let node: UnsafeMutablePointer<GDBusNodeInfo>
    private let table = UnsafeMutablePointer<GDBusInterfaceVTable>.allocate(capacity: 1)
    private var held: [Pipe] = []

    init(address: String, loop: Loop, events: EventList, refuses: Bool) throws {
        self.loop = loop
        self.events = events
        self.refuses = refuses
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        guard let connection = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil),
            let node = g_dbus_node_info_new_for_xml(Self.interface, nil)
        else { throw TestFailure("no connection with \(address)") }
        self.connection = connection
        self.node = node
        table.initialize(to: GDBusInterfaceVTable())
        table.pointee.method_call = { _, _, _, _, _, parameters, invocation, me in
            guard let parameters, let invocation, let me else { return }
            Unmanaged<LogindService>.fromOpaque(me).takeUnretainedValue().inhibit(parameters, invocation)
        }
        let registered = g_dbus_connection_register_object(
            connection, "/org/freedesktop/login1", node.pointee.interfaces[0], table,
            Unmanaged.passUnretained(self).toOpaque(), nil, nil)
        guard registered != 0 else { throw TestFailure("the object was not registered") }
        let reply = g_dbus_connection_call_sync(
            connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            Self.tuple([g_variant_new_string("org.freedesktop.login1"), g_variant_new_uint32(4)]), nil,
            G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
        guard let reply else { throw TestFailure("the bus gave no name") }
        g_variant_unref(reply)
    }

    private static func tuple(_ members: [OpaquePointer?]) -> OpaquePointer? {
        g_variant_new_tuple(members, gsize(members.count))
    }

    private static func text(_ tuple: OpaquePointer, _ index: Int) -> String {
        let member = g_variant_get_child_value(tuple, gsize(index))
        defer { g_variant_unref(member) }
        return g_variant_get_string(member, nil).map { String(cString: $0) } ?? ""
    }

    private func inhibit(_ parameters: OpaquePointer, _ invocation: OpaquePointer) {
        let (what, who, mode) = (Self.text(parameters, 0), Self.text(parameters, 1), Self.text(parameters, 3))
        guard !refuses else {
            events.add("refused")
            g_dbus_method_invocation_return_dbus_error(
                invocation, "org.freedesktop.DBus.Error.AccessDenied", "not for you")
            return
        }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0,
            let list = g_unix_fd_list_new_from_array([ends[1]], 1)
        else { preconditionFailure("socketpair: errno \(errno)") }
        hold(ends[0])
        events.add("inhibited \(what) \(mode) by \(who)")
        g_dbus_method_invocation_return_value_with_unix_fd_list(
            invocation, Self.tuple([g_variant_new_handle(0)]), list)
        g_object_unref(list)
    }

    private func hold(_ end: Int32) {
        do {
            let pipe = try Pipe(takingOwnershipOf: end, on: loop)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
            try pipe.read(
                into: { buffer }, received: { _ in },
                ended: { [events] _ in
                    events.add("released")
                    pipe.close()
                    buffer.deallocate()
                })
            held.append(pipe)
        } catch {
            events.add("failed: \(error)")
        }
    }

    func prepareForSleep(_ starts: Bool) {
        g_dbus_connection_emit_signal(
            connection, nil, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
            Self.tuple([g_variant_new_boolean(starts ? 1 : 0)]), nil)
        g_dbus_connection_flush_sync(connection, nil, nil)
    }

    func close() {
        g_dbus_connection_close_sync(connection, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(connection))
        g_dbus_node_info_unref(node)
        for pipe in held { pipe.close() }
    }
}
