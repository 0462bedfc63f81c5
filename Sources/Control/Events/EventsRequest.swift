public import Logging

/// Which events are asked for.
public struct EventsRequest: Sendable, Equatable {
    public enum Since: Sendable, Equatable {
        /// Those with a higher number.
        case number(UInt64)
        /// Those of this moment and later.
        case time(LogTime)
    }

    /// nil = all that the journal has.
    public var since: Since?
    /// nil = those of all components and of the supervisor.
    public var id: String?
    /// Go on with new ones as they come.
    public var follow: Bool

    public init(since: Since? = nil, id: String? = nil, follow: Bool = false) {
        self.since = since
        self.id = id
        self.follow = follow
    }

    init(params: JSONValue) throws(JSONShapeError) {
        id = try params.optional("id")
        follow = try params.optional("follow") ?? false
        switch params["since"] ?? .null {
        case .null: since = nil
        case .int(let number) where number >= 0: since = .number(UInt64(number))
        case let value:
            guard let time = value.string.flatMap({ LogTime($0) }) else {
                throw JSONShapeError(
                    key: "since", expected: "the number of an event, or a time like 2026-01-31T23:59:59.000Z",
                    found: value)
            }
            since = .time(time)
        }
    }

    var params: JSONValue {
        let since: JSONValue =
            switch since {
            case nil: .null
            case .number(let number): JSONValue(number)
            case .time(let time): .string(time.description)
            }
        return ["since": since, "id": JSONValue(id), "follow": .bool(follow)]
    }
}
