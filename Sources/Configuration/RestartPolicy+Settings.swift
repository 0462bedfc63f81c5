internal import Supervision

extension RestartPolicy {
    /// Every key of a component in the configuration, with its value as the configuration would have it.
    var settings: [(name: String, value: String)] {
        [
            ("restart", restart.rawValue), ("maxRestarts", "\(maxRestarts)"), ("period", period.configuration),
            ("startTimeout", startTimeout.configuration), ("stopGrace", stopGrace.configuration),
            ("backoff.first", backoff.first.configuration),
            ("backoff.factor", ConfigurationValue.shown(backoff.factor)),
            ("backoff.max", backoff.max.configuration), ("backoff.jitter", ConfigurationValue.shown(backoff.jitter)),
        ] + heartbeat.settings.map { ("heartbeat.\($0.name)", $0.value) }
            + memory.settings.map { ("memory.\($0.name)", $0.value) }
            + queue.settings.map { ("queue.\($0.name)", $0.value) }
            + [("nice", "\(nice)"), ("background", background.rawValue)]
            + window.settings.map { ("window.\($0.name)", $0.value) }
            + EngineOption.allCases.compactMap { option in
                engine[option].map { ("engine.\(option.rawValue)", $0) }
            }
    }
}

extension HeartbeatPolicy {
    var settings: [(name: String, value: String)] {
        [("interval", interval.configuration), ("soft", soft.configuration), ("hard", hard.configuration)]
    }
}

extension Duration {
    /// `10s`, `100ms`: what `init(configuration:)` reads.
    var configuration: String { text.replacing(" ", with: "") }
}
