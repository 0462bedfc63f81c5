/// A bucket of `perSecond` tokens that fills at that rate.
struct RateLimit {
    private let perSecond: Double
    private var tokens: Double
    private var last: UInt64

    init(perSecond: Int, now: UInt64) {
        self.perSecond = Double(perSecond)
        tokens = Double(perSecond)
        last = now
    }

    /// - Parameter now: monotonic nanoseconds.
    mutating func take(now: UInt64) -> Bool {
        tokens = min(perSecond, tokens + Double(now &- last) / 1e9 * perSecond)
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
