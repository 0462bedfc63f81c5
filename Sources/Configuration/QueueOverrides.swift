internal import Supervision

/// A member `queue`: the keys that are there replace the policy's.
struct QueueOverrides: Equatable, Sendable {
    private let highWater: Int?
    private let limit: Int?
    private let openCalls: Int?

    /// Nil where `owner` has no such member.
    init?(_ owner: ConfigurationReader) throws(ConfigurationError) {
        guard let reader = try owner.object("queue") else { return nil }
        try reader.only(ConfigurationKeys.queue)
        highWater = try reader.size("highWater", in: QueuePolicy.highWaterRange)
        limit = try reader.size("limit", in: QueuePolicy.limitRange, least: "which is the longest message")
        openCalls = try reader.integer("openCalls", in: QueuePolicy.openCallsRange)
    }

    func apply(to policy: inout QueuePolicy) {
        if let highWater { policy.highWater = highWater }
        if let limit { policy.limit = limit }
        if let openCalls { policy.openCalls = openCalls }
    }
}

extension QueuePolicy {
    var settings: [(name: String, value: String)] {
        [
            ("highWater", highWater.configuration), ("limit", limit.configuration), ("openCalls", "\(openCalls)"),
        ]
    }
}
