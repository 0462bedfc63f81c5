internal import Supervision

/// The keys that the reader knows. `docs/configuration.schema.json` has the same ones, which a test compares.
public enum ConfigurationKeys {
    static let root = ["components", "core", "network", "systemApps"]
    static let core = ["heartbeat"]
    static let network = ["dohResolvers"]
    static let component = [
        "restart", "maxRestarts", "period", "startTimeout", "stopGrace", "backoff", "heartbeat", "memory", "queue",
        "nice",
        "background", "engine",
    ]
    static let backoff = ["first", "factor", "max", "jitter"]
    static let heartbeat = ["interval", "soft", "hard"]
    static let memory = ["soft", "hard", "collectAfter"]
    static let queue = ["highWater", "limit", "openCalls"]
    static let engine = EngineOption.allCases.map(\.rawValue)

    /// By the place of the object that has them; `*` stands for any key.
    public static let byPlace: [String: [String]] = [
        "": root, "core": core, "core.heartbeat": heartbeat, "network": network, "components.*": component,
        "components.*.backoff": backoff, "components.*.heartbeat": heartbeat, "components.*.memory": memory,
        "components.*.queue": queue, "components.*.engine": engine,
    ]
}
