/// Which ends of a life are followed by another one.
public enum RestartType: String, Hashable, Sendable, CaseIterable {
    /// After every end, unless it was told to close.
    case permanent
    /// Only after an abnormal end.
    case transient
    /// Never; a demand starts it anew.
    case temporary
}

/// The rules of a component's life. The defaults are those of the documentation.
public struct RestartPolicy: Hashable, Sendable {
    public var restart: RestartType
    /// More restarts than this within `period` and the component is quarantined.
    public var maxRestarts: Int
    public var period: Duration
    /// From the spawn to ready.
    public var startTimeout: Duration
    /// From the order to stop to SIGTERM.
    public var stopGrace: Duration
    /// From SIGTERM to SIGKILL, and between looks after that.
    public var killAfter: Duration
    public var backoff: BackoffPolicy
    public var heartbeat: HeartbeatPolicy
    public var memory: MemoryPolicy
    public var queue: QueuePolicy
    /// Of the process: 0 = as the supervisor, 19 = only what others leave of a processor.
    public var nice: Int
    public var background: BackgroundMode
    public var window: WindowPolicy
    /// Options of the engine, each in its own words.
    public var engine: [EngineOption: String]

    public init(
        restart: RestartType, maxRestarts: Int = 10, period: Duration = .seconds(300),
        startTimeout: Duration = .seconds(10), stopGrace: Duration = .seconds(5), killAfter: Duration = .seconds(2),
        backoff: BackoffPolicy = BackoffPolicy(), heartbeat: HeartbeatPolicy = HeartbeatPolicy(),
        memory: MemoryPolicy = MemoryPolicy(), queue: QueuePolicy = QueuePolicy(), nice: Int = 0,
        background: BackgroundMode = .always, window: WindowPolicy = WindowPolicy(),
        engine: [EngineOption: String] = [:]
    ) {
        self.restart = restart
        self.maxRestarts = maxRestarts
        self.period = period
        self.startTimeout = startTimeout
        self.stopGrace = stopGrace
        self.killAfter = killAfter
        self.backoff = backoff
        self.heartbeat = heartbeat
        self.memory = memory
        self.queue = queue
        self.nice = nice
        self.background = background
        self.window = window
        self.engine = engine
    }
}

extension RestartPolicy {
    /// No component is restarted more often within `period` than this, however it dies: between healthy lives, which take
    /// their time, come some that die at once, after delays that grow. A larger `maxRestarts` is never reached.
    public var mostRestartsInPeriod: Int {
        var most = 0.0
        var delays = Backoff(backoff)
        var time = Duration.zero
        for failures in 0... {
            let perPeriod = period / (time + delays.healthyPeriod) * Double(failures + 1)
            most = max(most, perPeriod + Double(failures + 1))
            time += delays.delay(readyFor: nil, random: 0)
            if time > period || failures > 100_000 { break }
        }
        return Int(min(most.rounded(.up), 1e9))
    }
}

/// How the delays between restarts grow.
public struct BackoffPolicy: Hashable, Sendable {
    public var first: Duration
    public var factor: Double
    /// Before jitter.
    public var max: Duration
    /// Part of the delay by which it is shortened or lengthened at random, 0...1.
    public var jitter: Double

    public init(
        first: Duration = .milliseconds(100), factor: Double = 2, max: Duration = .seconds(60), jitter: Double = 0.1
    ) {
        self.first = first
        self.factor = factor
        self.max = max
        self.jitter = jitter
    }
}
