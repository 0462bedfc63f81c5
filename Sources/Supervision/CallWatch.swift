/// Calls into the core that answer later. One that takes too long is told, and told again at twice its age; nobody waits
/// for it. Has no clock.
public struct CallWatch: Sendable {
    /// A call that has not answered.
    public struct Pending: Hashable, Sendable {
        public let number: UInt64
        public let name: String
        public let began: Instant
        fileprivate var tellAt: Instant
        fileprivate(set) public var isOverdue = false
    }

    public struct Overdue: Hashable, Sendable {
        public let name: String
        public let age: Duration
    }

    private var calls: [UInt64: Pending] = [:]

    public init() {}

    /// Oldest first.
    public var overdue: [Pending] {
        calls.values.filter(\.isOverdue).sorted { ($0.began, $0.number) < ($1.began, $1.number) }
    }

    public var count: Int { calls.count }

    /// When `tick` has to be called.
    public var deadline: Instant? { calls.values.map(\.tellAt).min() }

    /// - Parameter limit: how long it may take.
    public mutating func began(_ number: UInt64, _ name: String, limit: Duration, at now: Instant) {
        calls[number] = Pending(number: number, name: name, began: now, tellAt: now + limit)
    }

    /// Gives the age of a call that was told of.
    public mutating func ended(_ number: UInt64, at now: Instant) -> Overdue? {
        guard let call = calls.removeValue(forKey: number), call.isOverdue else { return nil }
        return Overdue(name: call.name, age: now - call.began)
    }

    /// Calls that are to be told of now, oldest first.
    public mutating func tick(at now: Instant) -> [Overdue] {
        var told: [Pending] = []
        for (number, call) in calls where call.tellAt <= now {
            var call = call
            call.isOverdue = true
            call.tellAt = now + (now - call.began)
            calls[number] = call
            told.append(call)
        }
        return told.sorted { ($0.began, $0.number) < ($1.began, $1.number) }
            .map { Overdue(name: $0.name, age: now - $0.began) }
    }
}
