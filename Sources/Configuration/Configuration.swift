public import Supervision

/// `corehost.jsonc`: what the user changed of the defaults.
///
///     {
///         "core": { "heartbeat": { "hard": "2min" } },
///         // "*", an app domain, or a component's id; the more exact one wins, key by key
///         "components": {
///             "*": { "stopGrace": "3s" },
///             "chat.example.org/background.mjs": { "restart": "permanent", "backoff": { "max": "30s" } }
///         },
///         // in the order of asking; by default public ones
///         "network": { "dohResolvers": ["https://dns.example.org/dns-query"] },
///         // may have the capability "system" beside the platform's start-up and launcher apps
///         "systemApps": ["admin.example.org"]
///     }
public struct Configuration: Equatable, Sendable {
    private var overrides: [String: PolicyOverrides] = [:]
    /// For the core itself.
    public private(set) var coreHeartbeat = HeartbeatPolicy(hard: .seconds(60))
    /// URLs of DNS servers that answer over HTTPS, in JSON; none = the platform's own list.
    public private(set) var dohResolvers: [String] = []
    /// Domains of apps that may have the `system` capability beside the platform's own.
    public private(set) var systemApps: [String] = []

    /// All defaults.
    public init() {}

    /// Reads the file at `path`. One that is not there means the defaults, unless the user named it.
    public init(path: String, isNamedByUser: Bool) throws(ConfigurationError) {
        guard let text = try ConfigurationFile.read(path) else {
            if isNamedByUser { throw ConfigurationError(file: path, reason: .missing) }
            self.init()
            return
        }
        try self.init(text: text, file: path)
    }

    /// `file` is what errors call it.
    public init(text: String, file: String) throws(ConfigurationError) {
        let root = try ConfigurationReader(Self.parse(text, file: file), file: file, keyPath: "")
        try root.only(["components", "core", "network", "systemApps"])
        if let core = try root.object("core") {
            try core.only(["heartbeat"])
            try HeartbeatOverrides(core)?.apply(to: &coreHeartbeat)
        }
        if let network = try root.object("network") {
            try network.only(["dohResolvers"])
            dohResolvers =
                try network.texts("dohResolvers", atMost: 16, expected: "URLs that begin with \"https://\"") { text in
                    text.hasPrefix("https://") && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
                } ?? []
        }
        systemApps =
            try root.texts("systemApps", atMost: 64, expected: "domains of apps") { text in
                !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") }
            } ?? []
        guard let components = try root.object("components") else { return }
        for name in components.keys {
            guard let keys = try components.object(name) else { continue }
            overrides[name] = try PolicyOverrides(keys)
        }
    }

    /// The rules for a component. `restart` is what its manifest implies; the configuration may say otherwise.
    public func policy(for id: ComponentID, restart: RestartType) -> RestartPolicy {
        var policy = RestartPolicy(restart: restart)
        let single = ComponentID(appDomain: id.appDomain, entrypoint: id.entrypoint)
        for name in ["*", id.appDomain, single.description] {
            overrides[name]?.apply(to: &policy)
        }
        return policy
    }

    private static func parse(_ text: String, file: String) throws(ConfigurationError) -> ConfigurationValue {
        do {
            return try ConfigurationParser.parse(text)
        } catch {
            throw ConfigurationError(file: file, error.place, reason: .syntax(error.message))
        }
    }
}
