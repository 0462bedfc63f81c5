/// A fault that is injected, as it stands now or as it ended.
public struct FaultRow: JSONShape {
    /// Counts the faults of one run of the supervisor, from 1.
    public var id: Int
    public var kind: String
    /// As given; `platform` for kinds that concern it as a whole.
    public var target: String
    /// All of them, defaults too.
    public var parameters: [String: String]
    public var seed: Int
    public var count: Int
    public var rate: Double
    /// Seconds.
    public var duration: Double
    public var most: Int
    public var isDetached: Bool
    /// Who asked for it: `process 42, uid 0`.
    public var by: String
    /// ISO 8601.
    public var began: String
    /// How often it was applied.
    public var applied: Int
    /// Components that it holds now.
    public var holds: [String]
    /// Seconds until it is undone; nil once it is over.
    public var endsIn: Double?
    /// Why it is over: `count`, `duration`, `cleared`, `client-gone`, `shutdown`, `no-target`; nil while it is in force.
    public var ended: String?

    public init(
        id: Int, kind: String, target: String, parameters: [String: String], seed: Int, count: Int, rate: Double,
        duration: Double, most: Int, isDetached: Bool, by: String, began: String, applied: Int = 0,
        holds: [String] = [], endsIn: Double? = nil, ended: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.target = target
        self.parameters = parameters
        self.seed = seed
        self.count = count
        self.rate = rate
        self.duration = duration
        self.most = most
        self.isDetached = isDetached
        self.by = by
        self.began = began
        self.applied = applied
        self.holds = holds
        self.endsIn = endsIn
        self.ended = ended
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        id = try json.require("id")
        kind = try json.require("kind")
        target = try json.require("target")
        parameters = Self.texts(json["parameters"])
        seed = try json.require("seed")
        count = try json.require("count")
        rate = try json.require("rate")
        duration = try json.require("duration")
        most = try json.require("most")
        isDetached = try json.require("detached")
        by = try json.require("by")
        began = try json.require("began")
        applied = try json.require("applied")
        holds = try json.require("holds")
        endsIn = try json.optional("endsIn")
        ended = try json.optional("ended")
    }

    public var json: JSONValue {
        [
            "id": JSONValue(id), "kind": .string(kind), "target": .string(target),
            "parameters": Self.object(parameters), "seed": JSONValue(seed), "count": JSONValue(count),
            "rate": .double(rate), "duration": .double(duration), "most": JSONValue(most),
            "detached": .bool(isDetached), "by": .string(by), "began": .string(began), "applied": JSONValue(applied),
            "holds": JSONValue(holds), "endsIn": JSONValue(endsIn), "ended": JSONValue(ended),
        ]
    }

    static func object(_ texts: [String: String]) -> JSONValue {
        .object(texts.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
    }

    static func texts(_ value: JSONValue?) -> [String: String] {
        let members = value?.members ?? []
        return Dictionary(
            members.compactMap { member in member.value.string.map { (member.key, $0) } },
            uniquingKeysWith: { _, last in last })
    }
}

/// `fault.inject`: the fault, in force.
public struct FaultReply: JSONShape {
    public static let schema = "corehost.fault/1"

    public var fault: FaultRow

    public init(fault: FaultRow) { self.fault = fault }
    public init(json: JSONValue) throws(JSONShapeError) { fault = try json.require("fault") }
    public var json: JSONValue { ["schema": .string(Self.schema), "fault": fault.json] }
}

/// What happens with a fault: the items behind the answer to `fault.inject`. The last one is `ended`.
public struct FaultNews: JSONShape {
    public static let schema = "corehost.fault-news/1"

    public var fault: Int
    public var kind: String
    /// ISO 8601.
    public var time: String
    /// `applied`, `undone`, `failed` (it could not be applied, `detail` says why) or `ended`.
    public var what: String
    /// Nil: it is about the platform, or the fault as a whole.
    public var component: String?
    public var generation: Int?
    /// For `ended` the word of `FaultRow.ended`; else in words.
    public var detail: String?

    public init(
        fault: Int, kind: String, time: String, what: String, component: String? = nil, generation: Int? = nil,
        detail: String? = nil
    ) {
        self.fault = fault
        self.kind = kind
        self.time = time
        self.what = what
        self.component = component
        self.generation = generation
        self.detail = detail
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        fault = try json.require("fault")
        kind = try json.require("kind")
        time = try json.require("time")
        what = try json.require("what")
        component = try json.optional("component")
        generation = try json.optional("generation")
        detail = try json.optional("detail")
    }

    public var json: JSONValue {
        [
            "schema": .string(Self.schema), "fault": JSONValue(fault), "kind": .string(kind), "time": .string(time),
            "what": .string(what), "component": JSONValue(component), "generation": JSONValue(generation),
            "detail": JSONValue(detail),
        ]
    }
}

/// `fault.list`.
public struct FaultsReply: JSONShape {
    public static let schema = "corehost.faults/1"

    /// The supervisor was started with `--allow-faults`.
    public var isAllowed: Bool
    /// In force now, by id.
    public var faults: [FaultRow]
    /// The last ones that are over, newest first.
    public var ended: [FaultRow]
    /// What was in force when an earlier run of the supervisor ended all at once: undone with it.
    public var leftBehind: [FaultRow]

    public init(isAllowed: Bool, faults: [FaultRow], ended: [FaultRow], leftBehind: [FaultRow]) {
        self.isAllowed = isAllowed
        self.faults = faults
        self.ended = ended
        self.leftBehind = leftBehind
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        isAllowed = try json.require("allowed")
        faults = try json.require("faults")
        ended = try json.require("ended")
        leftBehind = try json.require("leftBehind")
    }

    public var json: JSONValue {
        [
            "schema": .string(Self.schema), "allowed": .bool(isAllowed), "faults": JSONValue(faults),
            "ended": JSONValue(ended), "leftBehind": JSONValue(leftBehind),
        ]
    }
}

/// `fault.clear`: what was in force and is undone.
public struct FaultClearReply: JSONShape {
    public static let schema = "corehost.fault-clear/1"

    public var cleared: [FaultRow]

    public init(cleared: [FaultRow]) { self.cleared = cleared }
    public init(json: JSONValue) throws(JSONShapeError) { cleared = try json.require("cleared") }
    public var json: JSONValue { ["schema": .string(Self.schema), "cleared": JSONValue(cleared)] }
}

/// An injected fault, as it is named in what it led to.
public struct FaultTag: JSONShape {
    public var id: Int
    public var kind: String
    public var seed: Int

    public init(id: Int, kind: String, seed: Int) {
        self.id = id
        self.kind = kind
        self.seed = seed
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        id = try json.require("id")
        kind = try json.require("kind")
        seed = try json.require("seed")
    }

    public var json: JSONValue { ["id": JSONValue(id), "kind": .string(kind), "seed": JSONValue(seed)] }
}
