internal import Supervision

/// A member `heartbeat`: the keys that are there replace the policy's.
struct HeartbeatOverrides: Equatable, Sendable {
    private static let limits = Duration.milliseconds(100) ... .seconds(24 * 3600)

    private let interval: Duration?
    private let soft: Duration?
    private let hard: Duration?

    /// Nil where `owner` has no such member.
    init?(_ owner: ConfigurationReader) throws(ConfigurationError) {
        guard let reader = try owner.object("heartbeat") else { return nil }
        try reader.only(ConfigurationKeys.heartbeat)
        interval = try reader.duration("interval", in: Self.limits)
        soft = try reader.duration("soft", in: Self.limits)
        hard = try reader.duration("hard", in: Self.limits)
        if let soft, let hard, hard < soft {
            throw reader.error("hard", .notInRange(seen: "\(hard)", allowed: "\(soft), which is \"soft\", or more"))
        }
    }

    func apply(to policy: inout HeartbeatPolicy) {
        if let interval { policy.interval = interval }
        if let soft { policy.soft = soft }
        if let hard { policy.hard = hard }
    }
}
