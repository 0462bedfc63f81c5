/// What is asked about faults that are injected on purpose.
public enum FaultRequest: Sendable, Equatable {
    case inject(FaultInjection)
    case list
    /// nil = all.
    case clear(id: Int?)

    /// Names of the methods.
    public static let verbs = ["fault.inject", "fault.list", "fault.clear"]

    public var verb: String {
        switch self {
        case .inject: "fault.inject"
        case .list: "fault.list"
        case .clear: "fault.clear"
        }
    }

    public var changes: Bool { self != .list }

    /// Nil: no method of faults.
    init?(verb: String, params: JSONValue) throws(JSONShapeError) {
        switch verb {
        case "fault.inject": self = .inject(try FaultInjection(json: params))
        case "fault.list": self = .list
        case "fault.clear":
            let (id, all): (Int?, Bool?) = (try params.optional("id"), try params.optional("all"))
            guard (id == nil) == (all == true) else {
                throw JSONShapeError(
                    key: "id", expected: "the number of a fault, or \"all\" true in its place", found: JSONValue(id))
            }
            self = .clear(id: id)
        default: return nil
        }
    }

    var params: JSONValue {
        switch self {
        case .inject(let injection): injection.json
        case .list: [:]
        case .clear(let id): id.map { ["id": JSONValue($0)] } ?? ["all": true]
        }
    }

    var auditedArguments: [String: String] {
        switch self {
        case .inject(let injection):
            ["kind": injection.kind, "target": injection.target ?? "", "detach": "\(injection.isDetached)"].merging(
                injection.parameters.map { ("parameter \($0)", String($1.prefix(200))) }
            ) { $1 }
        case .list: [:]
        case .clear(let id): ["fault": id.map { "\($0)" } ?? "all"]
        }
    }
}

/// `fault.inject`: a fault to be injected. What a kind takes, and the bounds of all numbers, docs/faults.md says; whatever
/// is nil has its default, and no default is without an end.
public struct FaultInjection: JSONShape {
    public static let maxParameters = 16
    /// Bytes.
    public static let maxTextBytes = 1024
    /// What JSON carries as a number everywhere.
    public static let seeds = 0...(1 << 53 - 1)

    public var kind: String
    /// `id=…`, `app=…`, `entry=…`, `random:N`, `N%`, `all`; nil for kinds that concern the platform as a whole.
    public var target: String?
    /// By name, as text: `50ms`, `64KiB`, `SIGKILL`, `3`. JSON numbers are taken, too.
    public var parameters: [String: String]
    /// How often it is applied at most.
    public var count: Int?
    /// Applications per second at most.
    public var rate: Double?
    /// Seconds after which it is undone.
    public var duration: Double?
    /// How many components it holds, or keeps from running, at once at most.
    public var most: Int?
    /// Nil: the supervisor draws one and says which.
    public var seed: Int?
    /// It outlives the connection that has asked for it. Without, the answer is followed by `FaultNews` until it is over.
    public var isDetached: Bool

    public init(
        kind: String, target: String? = nil, parameters: [String: String] = [:], count: Int? = nil,
        rate: Double? = nil, duration: Double? = nil, most: Int? = nil, seed: Int? = nil, isDetached: Bool = false
    ) {
        self.kind = kind
        self.target = target
        self.parameters = parameters
        self.count = count
        self.rate = rate
        self.duration = duration
        self.most = most
        self.seed = seed
        self.isDetached = isDetached
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        kind = try json.require("kind")
        target = try json.optional("target")
        parameters = try Self.parameters(json["parameters"] ?? .null)
        count = try json.optional("count")
        rate = try json.optional("rate")
        duration = try json.optional("duration")
        most = try json.optional("most")
        seed = try json.optional("seed")
        isDetached = try json.optional("detach") ?? false
        for (key, text) in [("kind", kind), ("target", target ?? "")] where text.utf8.count > Self.maxTextBytes {
            throw JSONShapeError(key: key, expected: "\(Self.maxTextBytes) bytes at most", found: .string(text))
        }
        if let seed, !Self.seeds.contains(seed) {
            throw JSONShapeError(key: "seed", expected: "a number from 0 to 2^53-1", found: JSONValue(seed))
        }
    }

    public var json: JSONValue {
        [
            "kind": .string(kind), "target": JSONValue(target), "parameters": FaultRow.object(parameters),
            "count": JSONValue(count), "rate": JSONValue(rate), "duration": JSONValue(duration),
            "most": JSONValue(most), "seed": JSONValue(seed), "detach": .bool(isDetached),
        ]
    }

    private static func parameters(_ value: JSONValue) throws(JSONShapeError) -> [String: String] {
        if value.isNull { return [:] }
        guard let members = value.members, members.count <= maxParameters else {
            throw JSONShapeError(
                key: "parameters", expected: "an object of \(maxParameters) members at most", found: value)
        }
        var parameters: [String: String] = [:]
        for member in members {
            let text: String? =
                switch member.value {
                case .string(let text): text
                case .int(let number): "\(number)"
                case .double(let number): "\(number)"
                case .null, .bool, .array, .object: nil
                }
            guard let text, text.utf8.count + member.key.utf8.count <= maxTextBytes else {
                throw JSONShapeError(
                    key: "parameters",
                    expected: "an object of texts and numbers, each of \(maxTextBytes) bytes at most",
                    found: value)
            }
            parameters[member.key] = text
        }
        return parameters
    }
}
