public import Logging

/// One event as a reader gets it.
///
///     {"schema": "corehost.event/1", "number": 1.., "time": ISO 8601, "kind": a word of `EventKind`,
///      "component": id or null, "generation": number or null, "fields": {key: string}}
public struct EventEntry: JSONShape {
    public static let schema = "corehost.event/1"

    /// Counts from 1 in each run of the supervisor, without gaps.
    public var number: UInt64
    public var time: LogTime
    /// A newer supervisor may have kinds that this program does not know.
    public var kind: String
    public var component: String?
    public var generation: UInt64?
    public var fields: [String: String]

    public init(
        number: UInt64, time: LogTime, kind: EventKind, component: String? = nil, generation: UInt64? = nil,
        fields: [String: String] = [:]
    ) {
        self.number = number
        self.time = time
        self.kind = kind.rawValue
        self.component = component
        self.generation = generation
        self.fields = fields
    }

    /// Stands for the events `first...last`, which the journal no longer has.
    public static func lost(_ first: UInt64, through last: UInt64) -> EventEntry {
        EventEntry(
            number: last, time: .now(), kind: .eventsLost,
            fields: ["first": "\(first)", "last": "\(last)", "count": "\(last - first + 1)"])
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        let number: Int = try json.require("number")
        let time: String = try json.require("time")
        guard let time = LogTime(time) else {
            throw JSONShapeError(key: "time", expected: "a time in ISO 8601", found: .string(time))
        }
        let generation: Int? = try json.optional("generation")
        self.number = UInt64(clamping: number)
        self.time = time
        kind = try json.require("kind")
        component = try json.optional("component")
        self.generation = generation.map { UInt64(clamping: $0) }
        let members = json["fields"]?.members ?? []
        fields = Dictionary(
            members.compactMap { member in member.value.string.map { (member.key, $0) } },
            uniquingKeysWith: { _, last in last })
    }

    public var json: JSONValue {
        [
            "schema": .string(EventEntry.schema), "number": JSONValue(number), "time": .string(time.description),
            "kind": .string(kind), "component": JSONValue(component), "generation": JSONValue(generation),
            "fields": .object(fields.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }),
        ]
    }
}

/// `events`: what the journal has, a page at a time; with `follow` no events here, all come as items.
public struct EventsReply: JSONShape {
    public static let schema = "corehost.events/1"

    public var events: [EventEntry]
    /// The number to ask on from: `since` of the next request.
    public var next: UInt64
    /// There is more by now.
    public var more: Bool

    public init(events: [EventEntry], next: UInt64, more: Bool) {
        self.events = events
        self.next = next
        self.more = more
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        let next: Int = try json.require("next")
        events = try json.require("events")
        self.next = UInt64(clamping: next)
        more = try json.require("more")
    }

    public var json: JSONValue {
        [
            "schema": .string(EventsReply.schema), "events": JSONValue(events), "next": JSONValue(next),
            "more": .bool(more),
        ]
    }
}
