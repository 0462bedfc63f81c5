internal import Supervision

/// A member `window`: the keys that are there replace the policy's.
struct WindowOverrides: Equatable, Sendable {
    private let every: Duration?
    private let length: Duration?
    private let maxLoad: Double?
    private let power: WindowPolicy.Power?

    /// Nil where `owner` has no such member.
    init?(_ owner: ConfigurationReader) throws(ConfigurationError) {
        guard let reader = try owner.object("window") else { return nil }
        try reader.only(ConfigurationKeys.window)
        every = try reader.duration("every", in: WindowPolicy.everyRange)
        length = try reader.duration("length", in: WindowPolicy.lengthRange)
        maxLoad = try reader.number("maxLoad", in: WindowPolicy.maxLoadRange)
        power = try reader.choice("power")
    }

    func apply(to policy: inout WindowPolicy) {
        if let every { policy.every = every }
        if let length { policy.length = length }
        if let maxLoad { policy.maxLoad = maxLoad }
        if let power { policy.power = power }
    }
}

extension WindowPolicy {
    var settings: [(name: String, value: String)] {
        [
            ("every", every.configuration), ("length", length.configuration),
            ("maxLoad", ConfigurationValue.shown(maxLoad)), ("power", power.rawValue),
        ]
    }
}
