internal import Supervision

/// One member of `components`: the keys that are there replace the policy's.
struct PolicyOverrides: Equatable, Sendable {
    /// Where each setting that it replaces stands, by the names of `RestartPolicy.settings`.
    let lines: [String: Int]
    let restart: RestartType?
    private let maxRestarts: Int?
    private let period: Duration?
    private let startTimeout: Duration?
    private let stopGrace: Duration?
    private let heartbeat: HeartbeatOverrides?
    private let memory: MemoryOverrides?
    private let queue: QueueOverrides?
    private let nice: Int?
    let background: BackgroundMode?
    private let window: WindowOverrides?
    private let engine: EngineOverrides?
    private var first: Duration?
    private var factor: Double?
    private var max: Duration?
    private var jitter: Double?

    init(_ reader: ConfigurationReader) throws(ConfigurationError) {
        try reader.only(ConfigurationKeys.component)
        lines = reader.lines
        restart = try reader.choice("restart")
        maxRestarts = try reader.integer("maxRestarts", in: 0...10_000)
        period = try reader.duration("period", in: .seconds(1) ... .seconds(7 * 24 * 3600))
        startTimeout = try reader.duration("startTimeout", in: .milliseconds(100) ... .seconds(3600))
        stopGrace = try reader.duration("stopGrace", in: .zero ... .seconds(3600))
        heartbeat = try HeartbeatOverrides(reader)
        memory = try MemoryOverrides(reader)
        queue = try QueueOverrides(reader)
        nice = try reader.integer("nice", in: 0...19)
        background = try reader.choice("background")
        window = try WindowOverrides(reader)
        engine = try EngineOverrides(reader)
        guard let backoff = try reader.object("backoff") else { return }
        try backoff.only(ConfigurationKeys.backoff)
        first = try backoff.duration("first", in: .milliseconds(1) ... .seconds(24 * 3600))
        factor = try backoff.number("factor", in: 1...100)
        max = try backoff.duration("max", in: .milliseconds(1) ... .seconds(24 * 3600))
        jitter = try backoff.number("jitter", in: 0...1)
        if let first, let max, max < first {
            throw backoff.error("max", .notInRange(seen: "\(max)", allowed: "\(first), which is \"first\", or more"))
        }
    }

    func apply(to policy: inout RestartPolicy) {
        if let restart { policy.restart = restart }
        if let maxRestarts { policy.maxRestarts = maxRestarts }
        if let period { policy.period = period }
        if let startTimeout { policy.startTimeout = startTimeout }
        if let stopGrace { policy.stopGrace = stopGrace }
        heartbeat?.apply(to: &policy.heartbeat)
        memory?.apply(to: &policy.memory)
        queue?.apply(to: &policy.queue)
        if let nice { policy.nice = nice }
        if let background { policy.background = background }
        window?.apply(to: &policy.window)
        engine?.apply(to: &policy.engine)
        if let first { policy.backoff.first = first }
        if let factor { policy.backoff.factor = factor }
        if let max { policy.backoff.max = max }
        if let jitter { policy.backoff.jitter = jitter }
    }
}
