/// Start slots: at most `limit` components start at once, the others wait in line, first come, first served.
public struct StartQueue<ID: Hashable & Sendable>: Hashable, Sendable {
    public let limit: Int
    private var holders: Set<ID> = []
    private var line: [ID] = []

    /// `limit` is at least 1.
    public init(limit: Int) {
        precondition(limit > 0, "a start queue with \(limit) slots starts nothing")
        self.limit = limit
    }

    public var holding: Int { holders.count }
    public var waiting: Int { line.count }

    /// Ids that now hold a slot: `id` itself, or none if it must wait.
    public mutating func request(_ id: ID) -> [ID] {
        precondition(!holders.contains(id) && !line.contains(id), "\(id) asked for a second start slot")
        line.append(id)
        return grant()
    }

    /// Gives back the slot of `id`, or its place in line; gives the ids that now hold a slot because of it.
    public mutating func release(_ id: ID) -> [ID] {
        if holders.remove(id) == nil { line.removeAll { $0 == id } }
        return grant()
    }

    private mutating func grant() -> [ID] {
        let granted = Array(line.prefix(limit - holders.count))
        line.removeFirst(granted.count)
        holders.formUnion(granted)
        return granted
    }
}
