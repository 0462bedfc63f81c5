internal import CoreHosting
internal import EventLoop
internal import Glibc
internal import Supervision
internal import Wire

/// What exists of one component in this process: its machine, its timer, its child, the figures of its port.
final class ComponentDriver {
    var info: Catalog.Component
    /// Its app is no longer there: forgotten once it is down.
    var isGone = false
    var machine: ComponentMachine
    let timer: Timer
    var child: ChildProcess?
    var heartbeat: Heartbeat
    let heartbeatTimer: Timer
    /// Where a call was that has held the turn since the last sign of life; see `Hang.stack`.
    var busyStack: String?
    var memory: ProcessMemory
    /// Runs from traffic on until there was none for a while.
    let idleTimer: Timer
    var lastTraffic: Instant?
    /// When it was collected because it was idle.
    var collectedAt: Instant?
    /// What the component says that it does.
    var statusText: String?
    /// What the core plane gave for the spawn that comes next.
    var prepared: PreparedChild?
    var traffic = PortTraffic()
    /// What the present process says that stands around it.
    var sandbox: SandboxReport?
    /// Its present process takes orders for faults, where they are allowed.
    var hasPreloaded = false
    /// An injected fault has ended its start: what its process reports on its way out comes too late.
    var isCrashed = false
    var spawnedAt: Instant?
    var readyAt: Instant?
    var lastEnd: PastLife?
    /// Ends of lives, the last one first.
    private(set) var pastLives: [PastLife] = []
    var ports = PortHistory()
    /// From the last heartbeat's question to its answer, of this life.
    var lag: Duration?
    /// Requests that wait for news of this component, for a short time.
    private var inspections: [Inspection] = []
    /// Of the present life.
    var samples: [LifeSample] = []
    /// What the schedule of background tasks was last told.
    var lastPresence = BackgroundTask.Presence.down
    /// Commands that wait for the component to have come somewhere.
    var waiters: [Waiter] = []

    init(_ info: Catalog.Component, _ spec: ComponentSpec, on loop: Loop) {
        self.info = info
        machine = ComponentMachine(spec)
        timer = Timer(on: loop)
        heartbeat = Heartbeat(spec.policy.heartbeat)
        heartbeatTimer = Timer(on: loop)
        memory = ProcessMemory(spec.policy.memory)
        idleTimer = Timer(on: loop)
    }

    var id: ComponentID { machine.spec.id }

    var isDown: Bool {
        guard case .down = machine.state else { return false }
        return child == nil
    }

    static let mostPastLives = 20

    func remember(_ life: PastLife?) {
        guard let life else { return }
        pastLives.insert(life, at: 0)
        if pastLives.count > Self.mostPastLives { pastLives.removeLast() }
    }

    func wait(_ inspection: Inspection) { inspections.append(inspection) }

    func gaveTurn() { for inspection in inspections { inspection.gotTurn() } }

    func finishInspections() { for inspection in inspections { inspection.finish() } }

    func forget(_ inspection: Inspection) { inspections.removeAll { $0 === inspection } }

    /// Closes what `prepared` holds, if no child took it.
    func dropPrepared() {
        if let prepared { close(prepared.dataDescriptor) }
        prepared = nil
    }
}

/// How a life ended, for `inspect`.
struct PastLife {
    let verdict: Verdict
    let generation: UInt64
    let time: String
}

/// A command that is answered once its component has come where the command wants it, or cannot come there.
struct Waiter {
    enum Goal {
        /// Running, with a generation of at least this.
        case running(atLeast: UInt64)
        case down
    }

    let goal: Goal
    let done: (Result<Void, Failure>) -> Void

    struct Failure: Error {
        let reason: String
    }

    /// Nil: not yet.
    func outcome(_ machine: ComponentMachine) -> Result<Void, Failure>? {
        switch (goal, machine.state) {
        case (.running(let least), .running) where machine.generation >= least: .success(())
        case (.running, .failed(let failure)): .failure(Failure(reason: "\(failure)"))
        case (.running, .waiting(_, let verdict)): .failure(Failure(reason: verdict.text))
        case (.running, .down(let verdict)): .failure(Failure(reason: verdict?.text ?? "it is down"))
        case (.down, .down), (.down, .failed): .success(())
        case (.down, .running) where machine.wanted == .up, (.down, .starting) where machine.wanted == .up:
            .failure(Failure(reason: "it was started again meanwhile"))
        case (.running, .starting), (.running, .running), (.running, .closing), (.down, .starting), (.down, .running),
            (.down, .closing), (.down, .waiting):
            nil
        }
    }
}
