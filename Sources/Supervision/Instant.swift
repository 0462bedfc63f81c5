/// A point on the monotonic clock, in nanoseconds. The driver reads the clock; nothing here does.
public struct Instant: Hashable, Comparable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration.nanoseconds)
    }

    public static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// Rounded up, so that nothing that waits for this long wakes before.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let perNanosecond: Int64 = 1_000_000_000
        let rest = attoseconds > 0 ? (attoseconds + perNanosecond - 1) / perNanosecond : attoseconds / perNanosecond
        return seconds * 1_000_000_000 + rest
    }
}
