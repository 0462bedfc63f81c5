public import Supervision

/// A setting that another configuration has otherwise.
public struct SettingChange: Hashable, Sendable {
    /// When the new value is in force.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        case now
        /// With the component's next process.
        case nextStart = "next-start"
        /// When the supervisor is started anew.
        case nextRun = "next-run"
    }

    /// As in `config show`: `backoff.max`; for the platform as a whole from the root on: `core.heartbeat.soft`.
    public let key: String
    public let old: String
    public let new: String
    public let moment: Moment

    /// The same, in force at another moment.
    public func at(_ moment: Moment) -> SettingChange {
        SettingChange(key: key, old: old, new: new, moment: moment)
    }
}

extension RestartPolicy {
    /// What an old process keeps until its end: the rest is the supervisor's own, or told to the process at once.
    private static let fixedAtStart = ["startTimeout", "memory.hard", "nice", "queue.", "engine."]

    /// What is different here from `old`.
    public func changes(from old: RestartPolicy) -> [SettingChange] {
        let before = Dictionary(old.settings.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        let after = Dictionary(settings.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        // Options of the engine are listed where they are set.
        let names = settings.map(\.name) + old.settings.map(\.name).filter { after[$0] == nil }
        return names.compactMap { name in
            let (was, is_) = (before[name] ?? "default", after[name] ?? "default")
            guard was != is_ else { return nil }
            let isFixed = Self.fixedAtStart.contains { $0.hasSuffix(".") ? name.hasPrefix($0) : name == $0 }
            return SettingChange(key: name, old: was, new: is_, moment: isFixed ? .nextStart : .now)
        }
    }
}

extension Configuration {
    /// What is different here from `old` for the platform as a whole.
    public func changes(from old: Configuration) -> [SettingChange] {
        var changes: [SettingChange] = zip(old.coreHeartbeat.settings, coreHeartbeat.settings).compactMap { was, new in
            was.value == new.value
                ? nil : SettingChange(key: "core.heartbeat.\(new.name)", old: was.value, new: new.value, moment: .now)
        }
        let lists: [(String, [String], [String], SettingChange.Moment)] = [
            ("network.dohResolvers", old.dohResolvers, dohResolvers, .nextRun),
            ("systemApps", old.systemApps, systemApps, .nextRun),
            ("tasks.permitted", old.permittedTasks.identifiers, permittedTasks.identifiers, .now),
        ]
        for (key, was, new, moment) in lists where was != new {
            let shown = [was, new].map { $0.isEmpty ? "none" : $0.joined(separator: ", ") }
            changes.append(SettingChange(key: key, old: shown[0], new: shown[1], moment: moment))
        }
        return changes
    }
}
