/// Bounds of what waits on a component's port, in each direction.
public struct QueuePolicy: Hashable, Sendable {
    /// Queued bytes from which on a writer is told to hold back.
    public var highWater: Int
    /// Queued bytes beyond which nothing more is taken.
    public var limit: Int
    /// Calls of the component into the core that may be open at once.
    public var openCalls: Int

    public static let highWaterRange = (64 << 10)...(64 << 20)
    /// One message may be as long as the least: with less it could never be sent.
    public static let limitRange = (64 << 20)...(4 << 30)
    public static let openCallsRange = 16...65_536

    public init(highWater: Int = 1 << 20, limit: Int = 256 << 20, openCalls: Int = 4096) {
        self.highWater = highWater
        self.limit = limit
        self.openCalls = openCalls
    }
}
