internal import Glibc

/// A D-Bus daemon of the test's own, which allows everything.
public final class MessageBus: Sendable {
    public let address: String
    private let socket: String
    private let folder: TemporaryFolder
    private let daemon: RunningProgram

    /// - Parameter folder: of an earlier bus, whose address this one then has.
    public init(in folder: TemporaryFolder? = nil) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        socket = folder.path + "/bus"
        address = "unix:path=\(socket)"
        let configuration = try folder.write(
            """
            <busconfig><type>system</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
            <allow send_type="signal"/><allow receive_sender="*"/></policy></busconfig>
            """, to: "bus.conf")
        daemon = try RunningProgram(
            "/usr/bin/dbus-daemon", ["--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address"])
        try daemon.line { $0.hasPrefix("unix:") }
    }

    /// Ends it, and starts another one at the same address.
    public func restarted() throws -> MessageBus {
        try end()
        return try MessageBus(in: folder)
    }

    public func end() throws {
        daemon.signal(SIGTERM)
        _ = try daemon.waitForExit()
        unlink(socket)
    }
}
