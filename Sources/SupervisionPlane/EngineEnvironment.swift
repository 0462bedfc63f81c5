internal import Supervision
internal import Wire

/// What the JavaScript engine of a component's process reads from its environment.
enum EngineEnvironment {
    /// The line that the engine writes, once, for the first variable below.
    static let note = "Warning: disabling gigacage because GIGACAGE_ENABLED=0!"

    /// - `GIGACAGE_ENABLED`: arrays and buffers are memory like any other, so that a limit of the data counts them.
    /// - `JSC_forceRAMSize`: the engine collects as if the machine had as much memory as the component may have. Without it,
    ///   garbage grows to what suits the machine, and over the limit.
    static func variables(_ policy: RestartPolicy) -> [String] {
        ["GIGACAGE_ENABLED=0", "JSC_forceRAMSize=\(policy.memory.hard)"]
            + policy.engine.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
    }
}

extension MemoryOrder {
    init(_ policy: MemoryPolicy) {
        self.init(tellAbove: UInt64(policy.soft), growth: UInt64(policy.growth))
    }
}

extension QueueOrder {
    init(_ policy: QueuePolicy) {
        self.init(highWater: UInt64(policy.highWater), limit: UInt64(policy.limit))
    }
}
