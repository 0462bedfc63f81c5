internal import Supervision

/// What bounds a fault. There is no bound that can be left out: what is not given has a finite default.
public struct FaultLeash: Hashable, Sendable {
    /// How often it is applied at most.
    public let count: Int
    /// Applications per second at most.
    public let rate: Double
    /// After this long it is undone.
    public let duration: Duration
    /// How many components it holds, or keeps from running, at once at most.
    public let most: Int

    public static let counts = 1...100_000
    public static let rates = 0.01...1000
    public static let durations = Duration.milliseconds(10)...Duration.seconds(24 * 3600)
    public static let mosts = 1...1000
    public static let usualRate = 10.0

    /// For a kind that holds something, and for others.
    static func usualDuration(_ manner: FaultKind.Manner) -> Duration {
        manner == .held ? .seconds(10) : .seconds(60)
    }

    /// - Parameter chosen: how many components the selector chooses now: the default of count and most.
    init(
        _ wish: FaultOrder.Wish, _ manner: FaultKind.Manner, choosing chosen: Int
    ) throws(FaultRefusal) {
        count = wish.count ?? max(1, chosen)
        rate = wish.rate ?? Self.usualRate
        duration = wish.duration ?? Self.usualDuration(manner)
        most = wish.most ?? min(max(1, chosen), Self.mosts.upperBound)
        let counts = "from \(Self.counts.lowerBound) to \(Self.counts.upperBound)"
        guard Self.counts.contains(count) else { throw Self.wrong("count", "a number \(counts)", "\(count)") }
        guard Self.rates.contains(rate) else {
            throw Self.wrong("rate", "applications per second, from 0.01 to 1000", "\(rate)")
        }
        guard Self.durations.contains(duration) else {
            throw Self.wrong("duration", "a time from 10 ms to 24 h", duration.text)
        }
        guard Self.mosts.contains(most) else {
            throw Self.wrong("most", "a number of components from 1 to 1000", "\(most)")
        }
    }

    private static func wrong(_ name: String, _ expected: String, _ found: String) -> FaultRefusal {
        .usage("\(name) must be \(expected), not \(found): no fault is without an end, and none is without effect")
    }

    var interval: Duration { .seconds(1 / rate) }
}
