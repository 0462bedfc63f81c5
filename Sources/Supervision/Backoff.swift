/// Delay before the next restart.
///
/// A component that was healthy is retried at once. After that, and after a life that never became healthy, the delays
/// are `first`, `first × factor`, … up to `max`, each with jitter. A life is healthy if it was ready for
/// clamp(2 × last delay, 10 s, 10 min).
public struct Backoff: Hashable, Sendable {
    private static let shortestHealthyPeriod = Duration.seconds(10)
    private static let longestHealthyPeriod = Duration.seconds(600)

    public var policy: BackoffPolicy
    /// Without jitter; nil when nothing was retried since the last reset.
    public private(set) var lastDelay: Duration?

    public init(_ policy: BackoffPolicy) { self.policy = policy }

    public var healthyPeriod: Duration {
        min(max((lastDelay ?? .zero) * 2, Self.shortestHealthyPeriod), Self.longestHealthyPeriod)
    }

    /// `readyFor` is nil for a life that did not become ready; `random` is in 0..<1.
    public mutating func delay(readyFor: Duration?, random: Double) -> Duration {
        if let readyFor, readyFor >= healthyPeriod {
            lastDelay = .zero
            return .zero
        }
        let grown = lastDelay.map { $0 == .zero ? policy.first : $0 * policy.factor } ?? policy.first
        let delay = min(grown, policy.max)
        lastDelay = delay
        return delay * (1 + policy.jitter * (2 * random - 1))
    }

    public mutating func reset() { lastDelay = nil }
}
