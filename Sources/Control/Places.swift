internal import CGLib
internal import Glibc

/// Where a supervisor of one data folder is found. Rules in `docs/architecture.md`; the environment is an argument.
public struct Places: Sendable {
    private let environment: [String: String]
    private let user: UInt32

    /// - Parameter user: effective uid; nil = this process's.
    public init(environment: [String: String], user: UInt32? = nil) {
        self.environment = environment
        self.user = user ?? geteuid()
    }

    /// `option` (as given on the command line), else `$XDG_DATA_HOME/corehost`, else `~/.local/share/corehost`;
    /// absolute, links resolved as far as the path exists. Nil only without an option and a home.
    public func dataFolder(option: String?) -> String? {
        if let option { return Places.real(option) }
        if let data = absolute("XDG_DATA_HOME") { return Places.real(data + "/corehost") }
        return absolute("HOME").map { Places.real($0 + "/.local/share/corehost") }
    }

    /// `option`, else `$XDG_CONFIG_HOME/corehost/corehost.jsonc`, else `~/.config/corehost/corehost.jsonc`.
    public func configurationFile(option: String?) -> String? {
        if let option { return Places.real(option) }
        if let folder = absolute("XDG_CONFIG_HOME") { return folder + "/corehost/corehost.jsonc" }
        return absolute("HOME").map { $0 + "/.config/corehost/corehost.jsonc" }
    }

    /// Where the supervisor of `dataFolder` (a real path) listens:
    /// `$XDG_RUNTIME_DIR/corehost/<name>.sock`, else `/run/corehost/` for root, else `<data>/run/`.
    public func socket(forDataFolder dataFolder: String) -> String {
        "\(socketFolder(dataFolder))/\(Places.socketName(dataFolder))"
    }

    /// Where a client looks: `option`, else `COREHOST_SOCKET`, else by the data folder.
    public func clientSocket(socketOption: String?, dataOption: String?) -> String? {
        if let socketOption { return socketOption }
        if let socket = environment["COREHOST_SOCKET"], !socket.isEmpty { return socket }
        return dataFolder(option: dataOption).map(socket(forDataFolder:))
    }

    private func socketFolder(_ dataFolder: String) -> String {
        if let runtime = absolute("XDG_RUNTIME_DIR") { return runtime + "/corehost" }
        return user == 0 ? "/run/corehost" : dataFolder + "/run"
    }

    /// First 16 hexadecimal digits of SHA-256 of the path's bytes.
    static func socketName(_ dataFolder: String) -> String {
        var path = dataFolder
        let digest = path.withUTF8 { g_compute_checksum_for_data(G_CHECKSUM_SHA256, $0.baseAddress, gsize($0.count)) }
        guard let digest else { preconditionFailure("GLib has no SHA-256") }
        defer { g_free(digest) }
        return String(String(cString: digest).prefix(16)) + ".sock"
    }

    /// XDG: a path that is not absolute counts as not set.
    private func absolute(_ name: String) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Absolute: the real path of what exists of `path`, with the rest behind it.
    public static func real(_ path: String) -> String {
        var existing = path.hasPrefix("/") ? path : workingFolder() + "/" + path
        var rest: [Substring] = []
        while true {
            if let resolved = realpath(existing, nil) {
                defer { free(resolved) }
                let base = String(cString: resolved)
                let tail = rest.reversed().joined(separator: "/")
                return tail.isEmpty ? base : base == "/" ? base + tail : base + "/" + tail
            }
            guard let slash = existing.lastIndex(of: "/"), existing != "/" else { return path }
            let name = existing[existing.index(after: slash)...]
            if !name.isEmpty, name != "." { rest.append(name) }
            existing = slash == existing.startIndex ? "/" : String(existing[..<slash])
        }
    }

    private static func workingFolder() -> String {
        guard let folder = getcwd(nil, 0) else { return "/" }
        defer { free(folder) }
        return String(cString: folder)
    }
}
