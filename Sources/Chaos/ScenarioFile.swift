public import Configuration
internal import Control
internal import Supervision

extension Scenario {
    /// Reads a scenario: JSON with comments, by the rules of `docs/schemas/scenario.json`. `file` is what errors call it;
    /// paths in it are relative to its folder.
    public init(path: String) throws(ConfigurationError) {
        guard let text = try ConfigurationFile.read(path) else {
            throw ConfigurationError(file: path, reason: .unreadable("there is no such file"))
        }
        try self.init(text: text, file: path)
        guard !(probes.isEmpty && loads.isEmpty && actions.isEmpty) else {
            throw ConfigurationError(
                file: path,
                reason: .contradiction(
                    "it has no probes, no load and no actions, and would hold whatever happens; add some"))
        }
    }

    public init(text: String, file: String) throws(ConfigurationError) {
        let value: ConfigurationValue
        do throws(ConfigurationParser.Failure) {
            value = try ConfigurationParser.parse(text)
        } catch {
            throw ConfigurationError(file: file, error.place, reason: .syntax(error.message))
        }
        var reader = ScenarioReader(try ConfigurationReader(value, file: file, keyPath: ""))
        self = try reader.scenario()
    }
}

/// Keys of a scenario. `docs/schemas/scenario.json` has the same ones, which a test compares.
package enum ScenarioKeys {
    package static let root = [
        "$schema", "schema", "name", "about", "seed", "duration", "settle", "recovery", "supervisor", "prepare",
        "probes",
        "load", "actions",
    ]
    package static let recovery = ["within", "p99"]
    package static let supervisor = ["apps", "configuration"]
    package static let call = ["app", "service", "method", "arguments", "within"]
    package static let preparation = ["as", "call", "member"]
    package static let load = ["name", "call", "clients", "every", "find"]
    package static let find = ["call", "member", "value"]
    package static let probeKinds = ["call", "components", "doctor", "leaks"]
    package static let probe =
        ["name"] + probeKinds + ["returns", "length", "mayReject", "when", "every", "share"]
    package static let components = ["target", "state", "count"]
    package static let leaks = ["descriptors"]
    package static let deeds = ["kill", "restart", "fault"]
    package static let action = ["name", "at", "every", "from", "until", "jitter"] + deeds
    package static let target = ["target"]
    package static let kill = ["target", "signal"]
    package static let fault = ["kind", "target", "parameters", "count", "rate", "duration", "most"]
}

/// The scenario as a whole; extensions read its parts.
struct ScenarioReader {
    static let longest = Duration.seconds(24 * 3600)

    let root: ConfigurationReader
    /// Names that calls may use, in the order in which they come to be.
    var variables: Set<String> = []

    init(_ root: ConfigurationReader) { self.root = root }

    mutating func scenario() throws(ConfigurationError) -> Scenario {
        try root.only(ScenarioKeys.root)
        let schema = try root.needText("schema")
        guard schema == Scenario.schema else {
            throw root.error("schema", .notInRange(seen: "\"\(schema)\"", allowed: "\"\(Scenario.schema)\""))
        }
        let duration = try root.need("duration", root.duration("duration", in: .milliseconds(10)...Self.longest))
        let settle = try root.duration("settle", in: .milliseconds(10)...Self.longest) ?? .seconds(10)
        let recovery = try recoveryBound(settle)
        let supervisor = try supervisorSettings()
        let preparations = try preparations()
        let probes = try probes()
        let loads = try loads(within: duration)
        let actions = try actions(within: duration)
        return Scenario(
            name: try name(in: root), about: try root.text("about") ?? "", seed: try seed(), duration: duration,
            settle: settle, recovery: recovery, supervisor: supervisor, preparations: preparations, probes: probes,
            loads: loads, actions: actions)
    }

    func name(in reader: ConfigurationReader) throws(ConfigurationError) -> String {
        let name = try reader.needText("name")
        guard Scenario.isName(name) else {
            throw reader.error(
                "name", .notInRange(seen: "\"\(name.prefix(60))\"", allowed: "1 to 80 bytes on one line"))
        }
        return name
    }

    private func seed() throws(ConfigurationError) -> UInt64 {
        UInt64(try root.integer("seed", in: 0...(1 << 53)) ?? 1)
    }

    private func recoveryBound(_ settle: Duration) throws(ConfigurationError) -> Scenario.RecoveryBound {
        guard let reader = try root.object("recovery") else { return .init(within: settle, p99: nil) }
        try reader.only(ScenarioKeys.recovery)
        return .init(
            within: try reader.duration("within", in: .milliseconds(1)...Self.longest) ?? settle,
            p99: try reader.duration("p99", in: .milliseconds(1)...Self.longest))
    }

    private func supervisorSettings() throws(ConfigurationError) -> Scenario.SupervisorSettings? {
        guard let reader = try root.object("supervisor") else { return nil }
        try reader.only(ScenarioKeys.supervisor)
        var configuration: String?
        if let value = reader.value("configuration"), let object = try reader.object("configuration") {
            _ = try Configuration(object)
            configuration = JSONWriter.text(value.json)
        }
        return .init(apps: try reader.text("apps").map(besideFile), configuration: configuration)
    }

    private func besideFile(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = root.file.lastIndex(of: "/") else { return path }
        return root.file[...slash] + path
    }
}

extension ConfigurationReader {
    func text(_ key: String) throws(ConfigurationError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .text(let text) = value.content else {
            throw error(key, .wrongType(seen: value.shown, expected: "a text"))
        }
        return text
    }

    func needText(_ key: String) throws(ConfigurationError) -> String { try need(key, text(key)) }

    func need<Value>(_ key: String, _ value: Value?) throws(ConfigurationError) -> Value {
        guard let value else { throw missing(key) }
        return value
    }

    func needObject(_ key: String) throws(ConfigurationError) -> ConfigurationReader { try need(key, object(key)) }

    /// Said where the object begins that lacks it.
    func missing(_ key: String) -> ConfigurationError {
        ConfigurationError(file: file, place, keyPath: keyPath, reason: .contradiction("\"\(key)\" is missing"))
    }

    /// The objects of a list; none without the key.
    func objects(_ key: String, atMost most: Int) throws(ConfigurationError) -> [ConfigurationReader] {
        guard let value = value(key) else { return [] }
        guard case .list(let elements) = value.content, elements.count <= most else {
            throw error(key, .wrongType(seen: value.shown, expected: "a list of at most \(most) objects"))
        }
        var readers: [ConfigurationReader] = []
        for (index, element) in elements.enumerated() {
            readers.append(try ConfigurationReader(element, file: file, keyPath: "\(path(key))[\(index)]"))
        }
        return readers
    }
}

extension ConfigurationValue {
    /// Keys of objects in the order of the alphabet.
    var json: JSONValue {
        switch content {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let value): Int64(exactly: value).map { .int($0) } ?? .double(value)
        case .text(let value): .string(value)
        case .list(let values): .array(values.map(\.json))
        case .object(let members):
            .object(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.json) })
        }
    }
}
