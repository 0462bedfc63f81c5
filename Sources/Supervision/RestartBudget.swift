/// How many restarts a component has left. A restart counts for `period`: one that was exactly `period` ago no longer
/// does.
public struct RestartBudget: Hashable, Sendable {
    public private(set) var maxRestarts: Int
    public private(set) var period: Duration
    /// Oldest first.
    private var restarts: [Instant] = []

    public init(maxRestarts: Int, period: Duration) {
        self.maxRestarts = maxRestarts
        self.period = period
    }

    /// Counts a restart at `now`, or gives false and counts nothing because it would be one too many.
    public mutating func take(at now: Instant) -> Bool {
        restarts.removeAll { now - $0 >= period }
        guard restarts.count < maxRestarts else { return false }
        restarts.append(now)
        return true
    }

    public func used(at now: Instant) -> Int { restarts.count { now - $0 < period } }

    /// Other bounds for the restarts that were counted already, and for later ones.
    public mutating func adopt(maxRestarts: Int, period: Duration) {
        self.maxRestarts = maxRestarts
        self.period = period
    }

    public mutating func clear() { restarts = [] }
}
