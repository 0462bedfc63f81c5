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
///         "systemApps": ["admin.example.org"],
///         // identifiers of background tasks that are started with the system; by default all
///         "tasks": { "permitted": ["io.privacysafe.chat.sync"] }
///     }
public struct Configuration: Equatable, Sendable {
    /// What errors call the file; nil: there is none.
    public private(set) var file: String?
    private var overrides: [String: PolicyOverrides] = [:]
    /// For the core itself.
    public private(set) var coreHeartbeat = HeartbeatPolicy(interval: .seconds(10), hard: .seconds(60))
    /// URLs of DNS servers that answer over HTTPS, in JSON; none = the platform's own list.
    public private(set) var dohResolvers: [String] = []
    /// Domains of apps that may have the `system` capability beside the platform's own.
    public private(set) var systemApps: [String] = []

    /// Which background tasks are started with the system.
    public private(set) var permittedTasks = PermittedTasks.all

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
        try self.init(try ConfigurationReader(Self.parse(text, file: file), file: file, keyPath: ""))
    }

    /// One that stands in another file.
    package init(_ root: ConfigurationReader) throws(ConfigurationError) {
        file = root.file
        try root.only(ConfigurationKeys.root)
        if let core = try root.object("core") {
            try core.only(ConfigurationKeys.core)
            try HeartbeatOverrides(core)?.apply(to: &coreHeartbeat)
            try PolicyContradictions.refuse(in: coreHeartbeat, core)
        }
        if let network = try root.object("network") {
            try network.only(ConfigurationKeys.network)
            dohResolvers =
                try network.texts("dohResolvers", atMost: 16, expected: "URLs that begin with \"https://\"") { text in
                    text.hasPrefix("https://") && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
                } ?? []
        }
        systemApps =
            try root.texts("systemApps", atMost: 64, expected: "domains of apps") { text in
                !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") }
            } ?? []
        if let tasks = try root.object("tasks") {
            try tasks.only(ConfigurationKeys.tasks)
            let given = try tasks.texts(
                "permitted", atMost: 256,
                expected: "identifiers of tasks, as `corehost tasks` shows them, or \"*\" for all"
            ) { text in (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } }
            if let given {
                if given.count > 1, given.contains("*") {
                    throw tasks.error(
                        "permitted",
                        .contradiction("\"*\" is all tasks, and others are named beside it; leave out one of the two"))
                }
                permittedTasks = PermittedTasks(identifiers: given)
            }
        }
        guard let components = try root.object("components") else { return }
        for name in components.keys {
            guard let keys = try components.object(name) else { continue }
            overrides[name] = try PolicyOverrides(keys)
        }
        for name in components.keys {
            try components.object(name).map { keys throws(ConfigurationError) in
                try PolicyContradictions.refuse(in: policy(named: name), keys)
                try PolicyContradictions.refuse(
                    restart: Self.names(named: name).compactMap { overrides[$0]?.restart }.last,
                    with: policy(named: name).background, keys)
            }
        }
    }

    /// What the rules under `name` come to, with the less exact ones and the defaults.
    private func policy(named name: String) -> RestartPolicy {
        policy(of: Self.names(named: name), restart: .temporary)
    }

    private static func names(named name: String) -> [String] {
        let parts = name.split(separator: "/", maxSplits: 1)
        return name == "*" ? ["*"] : ["*", String(parts.first ?? "")] + (parts.count > 1 ? [name] : [])
    }

    /// The rules for a component. `restart` is what its manifest implies; the configuration may say otherwise.
    public func policy(for id: ComponentID, restart: RestartType) -> RestartPolicy {
        policy(of: Self.names(for: id), restart: restart)
    }

    private func policy(of names: [String], restart: RestartType) -> RestartPolicy {
        var policy = RestartPolicy(restart: restart)
        for name in names { overrides[name]?.apply(to: &policy) }
        policy.restart = policy.background.restart(policy.restart)
        return policy
    }

    /// Names under `components`, the order of their file aside: `*`, app domains, ids.
    public var componentNames: [String] { overrides.keys.sorted() }

    /// A rule as it is listed.
    public struct Setting: Equatable, Sendable {
        public let name: String
        public let value: String
        /// The name under `components` that it comes from, and its line there; nil = a default.
        public let origin: String?
        public let line: Int?
    }

    /// The rules for a component. `id` nil: those of a component that nothing but `*` names.
    public func settings(for id: ComponentID?, restart: RestartType) -> [Setting] {
        let names = id.map { Self.names(for: $0) } ?? ["*"]
        return policy(of: names, restart: restart).settings.map { name, value in
            let origin = names.last { overrides[$0]?.lines[name] != nil }
            return Setting(
                name: name, value: value, origin: origin, line: origin.flatMap { overrides[$0]?.lines[name] })
        }
    }

    /// The more exact ones last.
    private static func names(for id: ComponentID) -> [String] {
        ["*", id.appDomain, ComponentID(appDomain: id.appDomain, entrypoint: id.entrypoint).description]
    }

    private static func parse(_ text: String, file: String) throws(ConfigurationError) -> ConfigurationValue {
        do {
            return try ConfigurationParser.parse(text)
        } catch {
            throw ConfigurationError(file: file, error.place, reason: .syntax(error.message))
        }
    }
}
