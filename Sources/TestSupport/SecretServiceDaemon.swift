internal import Glibc

/// gnome-keyring-daemon with an unlocked keyring of the test's own, on a bus of the test's own.
public final class SecretServiceDaemon: Sendable {
    public let bus: MessageBus
    private let folder: TemporaryFolder
    private let daemon: RunningProgram

    /// What a program needs to find it.
    public var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": bus.address] }

    /// - Parameter earlier: one that has ended, whose bus and keyring this one then has.
    public init(after earlier: SecretServiceDaemon? = nil) throws {
        let bus = try earlier?.bus ?? MessageBus()
        let folder = try earlier?.folder ?? TemporaryFolder()
        (self.bus, self.folder) = (bus, folder)
        let password = try folder.write("password", to: "password")
        let path = folder.path
        daemon = try RunningProgram(
            "/bin/sh",
            [
                "-c",
                "exec /usr/bin/gnome-keyring-daemon --foreground --unlock --components=secrets "
                    + "--control-directory='\(path)' <'\(password)'",
            ],
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": path, "XDG_DATA_HOME": path, "XDG_RUNTIME_DIR": path,
            ])
        try waitForIt()
    }

    /// D-Bus tells nobody in a way that a shell can wait for, short of a program of its own.
    private func waitForIt() throws {
        for _ in 0..<1000 {
            if try ask("ReadAlias string:default").contains(where: { $0.contains("collection/login") }) { return }
            usleep(10_000)
        }
        throw TestFailure("gnome-keyring-daemon has no keyring: \(daemon.lines)")
    }

    public func lock() throws {
        try ask("Lock array:objpath:/org/freedesktop/secrets/collection/login")
    }

    /// Deletes all items.
    public func forget() throws {
        for item in try items { try ask("Delete", of: item, interface: "Item") }
    }

    /// Object paths of the platform's keys.
    public var items: [String] {
        get throws {
            try ask("SearchItems dict:string:string:xdg:schema,corehost.key")
                .compactMap { $0.split(separator: "\"").dropFirst().first }.map(String.init)
        }
    }

    public func signal(_ number: Int32) { daemon.signal(number) }

    public func end() throws {
        daemon.signal(SIGKILL)
        _ = try daemon.waitForExit()
    }

    @discardableResult
    private func ask(
        _ call: String, of object: String = "/org/freedesktop/secrets", interface: String = "Service"
    ) throws -> [String] {
        let words = call.split(separator: " ").map(String.init)
        let program = try RunningProgram(
            "/usr/bin/dbus-send",
            [
                "--bus=\(bus.address)", "--print-reply", "--dest=org.freedesktop.secrets", object,
                "org.freedesktop.Secret.\(interface).\(words[0])",
            ] + words.dropFirst())
        _ = try program.waitForExit()
        return program.lines
    }
}
