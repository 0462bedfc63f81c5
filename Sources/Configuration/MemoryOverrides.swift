internal import Supervision

/// A member `memory`: the keys that are there replace the policy's.
struct MemoryOverrides: Equatable, Sendable {
    private let soft: Int?
    private let hard: Int?
    private let collectAfter: Duration?

    /// Nil where `owner` has no such member.
    init?(_ owner: ConfigurationReader) throws(ConfigurationError) {
        guard let reader = try owner.object("memory") else { return nil }
        try reader.only(ConfigurationKeys.memory)
        soft = try reader.size("soft", in: MemoryPolicy.leastSoft...MemoryPolicy.most)
        hard = try reader.size(
            "hard", in: MemoryPolicy.leastHard...MemoryPolicy.most,
            least: "which is the least that the engine works with")
        collectAfter = try reader.duration("collectAfter", in: .seconds(1) ... .seconds(24 * 3600))
        if let soft, let hard, hard < soft {
            throw reader.error(
                "hard",
                .notInRange(
                    seen: "\"\(hard.configuration)\"", allowed: "\(soft.configuration), which is \"soft\", or more"))
        }
    }

    func apply(to policy: inout MemoryPolicy) {
        if let soft { policy.soft = soft }
        if let hard { policy.hard = hard }
        if let collectAfter { policy.collectAfter = collectAfter }
    }
}

extension MemoryPolicy {
    var settings: [(name: String, value: String)] {
        [
            ("soft", soft.configuration), ("hard", hard.configuration), ("collectAfter", collectAfter.configuration),
        ]
    }
}
