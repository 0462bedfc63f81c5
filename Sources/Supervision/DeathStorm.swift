/// Deaths that follow each other closely, as when somebody kills every component at once. What a death leads to (the core
/// hears of it, a verdict is written, the next life begins) takes processors away from the kernel, which is still taking
/// others apart; in a storm it waits until that is over, and each death is seen the sooner.
public struct DeathStorm: Sendable {
    /// Deaths that are no further apart follow each other closely; a storm is over when this long nobody died.
    static let gap = Duration.milliseconds(10)
    /// So many deaths are none yet, whatever comes after them.
    static let ordinary = 2
    /// Nothing waits longer, however long it goes on.
    static let longest = Duration.milliseconds(200)

    private var began: Instant?
    private var last: Instant?
    private var count = 0

    public init() {}

    /// Notes a death. Gives until when all that deaths lead to is to wait; nil when it is not to.
    public mutating func death(at now: Instant) -> Instant? {
        if let last, now - last <= Self.gap { count += 1 } else { (began, count) = (now, 1) }
        last = now
        guard count > Self.ordinary, let began else { return nil }
        let end = min(now + Self.gap, began + Self.longest)
        return end > now ? end : nil
    }
}
