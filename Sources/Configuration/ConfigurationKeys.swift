internal import Supervision

/// The keys that the reader knows. `docs/configuration.schema.json` has the same ones, which a test compares.
public enum ConfigurationKeys {
    static let root = ["components", "core", "network", "systemApps", "tasks"]
    static let core = ["heartbeat"]
    static let network = ["dohResolvers"]
    static let tasks = ["permitted"]
    static let component = [
        "restart", "maxRestarts", "period", "startTimeout", "stopGrace", "backoff", "heartbeat", "memory", "queue",
        "nice", "background", "window", "engine",
    ]
    static let backoff = ["first", "factor", "max", "jitter"]
    static let heartbeat = ["interval", "soft", "hard"]
    static let memory = ["soft", "hard", "collectAfter"]
    static let queue = ["highWater", "limit", "openCalls"]
    static let window = ["every", "length", "maxLoad", "power"]
    static let engine = EngineOption.allCases.map(\.rawValue)

    /// By the place of the object that has them; `*` stands for any key.
    public static let byPlace: [String: [String]] = [
        "": root, "core": core, "core.heartbeat": heartbeat, "network": network, "tasks": tasks,
        "components.*": component,
        "components.*.backoff": backoff, "components.*.heartbeat": heartbeat, "components.*.memory": memory,
        "components.*.queue": queue, "components.*.window": window, "components.*.engine": engine,
    ]
}
