internal import Supervision

/// A member `engine`: options of the JavaScript engine, each added to those of less exact names.
struct EngineOverrides: Equatable, Sendable {
    private let options: [EngineOption: String]

    /// Nil where `owner` has no such member.
    init?(_ owner: ConfigurationReader) throws(ConfigurationError) {
        guard let reader = try owner.object("engine") else { return nil }
        try reader.only(ConfigurationKeys.engine)
        var options: [EngineOption: String] = [:]
        for option in EngineOption.allCases {
            if let range = option.range {
                options[option] = try reader.integer(option.rawValue, in: range).map { "\($0)" }
            } else {
                options[option] = try reader.bool(option.rawValue).map { "\($0)" }
            }
        }
        self.options = options
    }

    func apply(to policy: inout [EngineOption: String]) { policy.merge(options) { $1 } }
}
