import Supervision

/// One component of the simulated platform, over all users and supervisors of a run: what is to befall it.
final class SimulatedComponent {
    struct Ambush {
        let moment: Stimulus.Moment
        let after: Duration
        let what: Stimulus
    }

    let spec: ComponentSpec
    let startsWithSystem: Bool
    var policy: RestartPolicy
    /// Nil: nobody is logged in, or an instance for one connection that there is not.
    var driver: Driver?
    var ambushes: [Ambush] = []
    private var lives: [Series<ChildPlan>] = []
    private var corePlans: [Series<CorePlan>] = []
    private var failures: [Series<Int32>] = []

    init(_ setup: Setup.Component) {
        spec = ComponentSpec(id: setup.id, policy: setup.policy)
        startsWithSystem = setup.startsWithSystem
        policy = setup.policy
    }

    func add(_ plan: ChildPlan, times: Int) { lives.append(Series(what: plan, times: times)) }
    func add(_ plan: CorePlan, times: Int) { corePlans.append(Series(what: plan, times: times)) }
    func addFailure(_ errno: Int32, times: Int) { failures.append(Series(what: errno, times: times)) }

    func nextLife() -> ChildPlan { Self.take(&lives) ?? ChildPlan() }
    func nextCorePlan() -> CorePlan { Self.take(&corePlans) ?? CorePlan() }
    func nextSpawnFailure() -> Int32? { Self.take(&failures) }

    private struct Series<What> {
        let what: What
        var times: Int
    }

    private static func take<What>(_ series: inout [Series<What>]) -> What? {
        guard let first = series.first else { return nil }
        if first.times > 1 { series[0].times -= 1 } else { series.removeFirst() }
        return first.what
    }
}

/// What the supervisor holds of one component, as `SupervisionPlane` does.
final class Driver {
    let component: Int
    var machine: ComponentMachine
    var audit: ComponentAudit
    var child: SimulatedChild?
    /// What the pipe of the process held that ended last.
    var lastPortEnd = PortEnd.endOfFile(partialFrame: 0)
    var heart: Heartbeat
    var heartAudit: HeartAudit
    var memory: MemoryWatch
    var memoryAudit: MemoryAudit
    var presence = BackgroundTask.Presence.down
    var timerAt: Instant?
    var heartTimerAt: Instant?
    /// What came from the core plane, the last first.
    private(set) var news: [ComponentEvent] = []

    init(_ component: Int, _ spec: ComponentSpec) {
        self.component = component
        machine = ComponentMachine(spec)
        audit = ComponentAudit(spec)
        heart = Heartbeat(spec.policy.heartbeat)
        heartAudit = HeartAudit(spec.policy.heartbeat)
        memory = MemoryWatch(spec.policy.memory)
        memoryAudit = MemoryAudit(spec.policy.memory)
    }

    func remember(_ event: ComponentEvent) {
        news.insert(event, at: 0)
        if news.count > Self.mostNews { news.removeLast() }
    }

    static let mostNews = 5

    var isRunning: Bool { if case .running = machine.state { true } else { false } }

    var isDown: Bool {
        guard case .down = machine.state else { return false }
        return child == nil
    }
}

/// A process, until the supervisor has seen its exit.
final class SimulatedChild {
    let pid: Int32
    let connector: String
    let plan: ChildPlan
    /// What it has shown last; nil: ready.
    var stage: BootStep? = .spawned
    /// It gives no turn.
    var hangs = false
    /// By SIGSTOP: of signals, only SIGKILL ends it.
    var isStopped = false
    var isDead = false
    /// The heartbeat that it was asked for last.
    var heartbeat: UInt32 = 0
    var portEnd: PortEnd?
    var kernelWord: KernelWord?

    init(pid: Int32, connector: String, plan: ChildPlan) {
        self.pid = pid
        self.connector = connector
        self.plan = plan
    }
}

/// What is given at the start of a run.
struct Setup: Sendable {
    struct Component: Sendable {
        let id: ComponentID
        let policy: RestartPolicy
        var startsWithSystem: Bool
    }

    let seed: UInt64
    var components: [Component]
    let slots: Int
    let isLocal: Bool
    /// Whom `run --user` named.
    let expectedUser: String?
    let coreHeartbeat: HeartbeatPolicy

    static let users = ["ada@example.org", "bob@example.org", "Eve@example.org"]
}
