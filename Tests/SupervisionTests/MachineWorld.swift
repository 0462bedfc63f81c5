import Glibc
import Supervision

/// A machine with everything around it: core plane, start queue, process. Knows which events can happen now, performs
/// the machine's actions, and complains about any that break a rule.
struct MachineWorld: Hashable {
    struct Complaint: Error, CustomStringConvertible { let description: String }

    enum Slot: Hashable { case none, requested, granted }

    struct Port: Hashable {
        var isPreparing = false
        var isPrepared = false
        /// `closePort` or `tellCoreExited` was given.
        var isAsked = false
    }

    private(set) var machine: ComponentMachine
    private(set) var now = Instant(nanoseconds: 0)
    private(set) var isForgotten = false
    /// Requests to launch that the core has not answered.
    private var launches = 0
    private var connectors = 0
    private var openPromises: Set<String> = []
    private var ports: [String: Port] = [:]
    private var slot = Slot.none
    private var isSpawning = false
    private var isAlive = false
    private var lastRecorded: UInt64 = 0
    private var pids: Int32 = 100

    init(_ machine: ComponentMachine) { self.machine = machine }

    /// Something is under way that will bring an event without anybody's command.
    private var owesNews: Bool {
        launches > 0 || slot == .requested || isSpawning || isAlive
            || ports.values.contains { $0.isPreparing || $0.isAsked }
    }

    // MARK: What can happen

    static let commands: [ComponentEvent] = [
        .start(by: .user("u")), .start(by: .core), .stop(by: .user("u")), .stop(by: .core), .restart(by: .user("u")),
        .kill(signal: SIGTERM, by: .user("u")), .logout, .shutdown(fast: false),
        .shutdown(fast: true),
    ]

    /// Every event that is possible in this world, commands apart.
    var news: [ComponentEvent] {
        var events: [ComponentEvent] = [.startRequested(connector: "c\(connectors)")]
        if launches > 0 { events.append(.launchFailed("no such component")) }
        if slot == .requested { events.append(.slotGranted) }
        for (connector, port) in ports.sorted(by: { $0.key < $1.key }) {
            if port.isPreparing {
                events.append(.prepared(connector: connector))
                events.append(.prepareFailed(connector: connector, .unreadable(path: "/a.mjs", "busy")))
                events.append(.prepareFailed(connector: connector, .missing(path: "/a.mjs")))
            }
            let ends: [PortEnd] = [.byPlatform, .bye, .endOfFile(partialFrame: 0), .violation("x")]
            events += ends.map { .portClosed(connector: connector, $0) }
        }
        if isSpawning { events += [.spawned(pid: pids), .spawnFailed(errno: EAGAIN, program: "p")] }
        if isAlive {
            events += [
                .hello, .preloaded, .startExtended(.seconds(7)), .ready,
                .failureReported(ReportedFailure(kind: .uncaughtError, message: "m")),
                .closingReported, .protocolViolated("x"),
                .hung(Hang(silentFor: .seconds(1), stack: nil, processState: "T")),
                .fatalSignal(FatalSignal(signal: SIGTERM, origin: .itself)), .kernelSaid(.silent),
                .overMemory(OverMemory(held: 2, limit: 1)), .exited(.exited(0)),
                .exited(.exited(3)), .exited(.signalled(SIGTERM)), .exited(.signalled(SIGKILL)),
            ]
        }
        if machine.deadline != nil { events.append(.tick) }
        return events
    }

    /// The event that a well-behaved world brings next, with a process that only SIGKILL ends.
    var fairNews: ComponentEvent? {
        if isSpawning { return .spawned(pid: pids) }
        if slot == .requested { return .slotGranted }
        if let asked = ports.first(where: { $0.value.isAsked }) {
            return .portClosed(connector: asked.key, .byPlatform)
        }
        if let preparing = ports.first(where: { $0.value.isPreparing }) { return .prepared(connector: preparing.key) }
        if launches > 0 { return .startRequested(connector: "c\(connectors)") }
        return machine.deadline == nil ? nil : .tick
    }

    /// The next step of a process that comes up as it should.
    var nextOfBoot: ComponentEvent? {
        guard machine.pid != nil else { return nil }
        return switch machine.state.phaseName {
        case "spawned": .hello
        case "hello": .preloaded
        case "preloaded": .ready
        default: nil
        }
    }

    /// What is around the machine, without names and numbers.
    var surroundings: String {
        let slot =
            switch slot {
            case .none: "no slot"
            case .requested: "slot requested"
            case .granted: "slot"
            }
        let ports = ports.values.map { "\($0.isPreparing) \($0.isPrepared) \($0.isAsked)" }.sorted()
        return "\(launches > 0) \(slot) \(isSpawning) \(isAlive) \(openPromises.count) \(ports.joined(separator: ";"))"
    }

    /// In a world that answers, where a process ends by SIGKILL alone.
    func endsAfterShutdown() throws(Complaint) {
        var world = self
        try world.apply(.shutdown(fast: false))
        for _ in 0..<40 {
            if case .down = world.machine.state { return }
            guard let event = world.fairNews else { break }
            if try world.apply(event).contains(.signal(SIGKILL)) { try world.apply(.exited(.signalled(SIGKILL))) }
        }
        throw Complaint(description: "a shutdown does not end in \(world.machine.state)")
    }

    // MARK: What happens

    @discardableResult
    mutating func apply(_ event: ComponentEvent, random: Double = 0.5) throws(Complaint) -> [ComponentAction] {
        happen(event)
        let before = machine.state
        let actions = machine.handle(event, at: now, random: random)
        for action in actions { try perform(action) }
        do {
            try check()
        } catch {
            throw Complaint(description: "\(error) after \(event) in \(before) gave \(actions) and \(machine.state)")
        }
        return actions
    }

    private mutating func happen(_ event: ComponentEvent) {
        switch event {
        case .startRequested(let connector):
            connectors += 1
            launches = max(0, launches - 1)
            openPromises.insert(connector)
            ports[connector] = Port()
        case .launchFailed: launches -= 1
        case .slotGranted: slot = .granted
        case .prepared(let connector):
            ports[connector]?.isPreparing = false
            ports[connector]?.isPrepared = true
        case .prepareFailed(let connector, _): ports[connector]?.isPreparing = false
        case .portClosed(let connector, _): ports[connector] = nil
        case .spawned:
            isSpawning = false
            isAlive = true
            pids += 1
        case .spawnFailed: isSpawning = false
        case .exited: isAlive = false
        case .tick: now = max(now, machine.deadline ?? now)
        case .start, .stop, .restart, .kill, .shutdown, .logout, .hello, .preloaded, .ready, .failureReported,
            .closingReported, .protocolViolated, .hung, .fatalSignal, .kernelSaid, .overMemory, .startExtended,
            .faultApplied, .faultUndone:
            break
        }
    }

    private mutating func perform(_ action: ComponentAction) throws(Complaint) {
        switch action {
        case .askCoreToLaunch:
            try require(ports.isEmpty, "asks for a launch while a port is open")
            launches += 1
        case .requestSlot:
            try require(slot == .none, "second request for a slot")
            try require(ports.count == 1, "starts while an old port is open")
            slot = .requested
        case .releaseSlot:
            try require(slot != .none, "releases a slot that it has not")
            slot = .none
        case .prepare(let connector):
            try require(slot == .granted, "prepares without a slot")
            ports[connector]?.isPreparing = true
        case .spawn(let connector, let generation):
            try require(!isSpawning && !isAlive, "two processes")
            try require(slot == .granted && ports[connector]?.isPrepared == true, "spawns unprepared")
            try require(generation == machine.generation, "spawns with an old generation")
            isSpawning = true
        case .settleStart(let connector, _):
            try require(openPromises.remove(connector) != nil, "settles the start of \(connector) twice")
        case .refuseStart(let connector, _):
            try require(openPromises.remove(connector) != nil, "settles the start of \(connector) twice")
            ports[connector] = nil
        case .sendStop, .signal:
            try require(isAlive, "\(action) without a process")
        case .closePort(let connector), .tellCoreExited(let connector):
            try require(ports[connector]?.isAsked == false, "\(action) for a port that is asked or closed")
            if case .tellCoreExited = action { try require(!isAlive && !isSpawning, "\(action) with a process") }
            ports[connector]?.isAsked = true
        case .record(_, let generation):
            try require(generation == lastRecorded + 1, "verdict \(generation) after \(lastRecorded)")
            lastRecorded = generation
        case .forget: isForgotten = true
        }
    }

    /// What must hold between events.
    private func check() throws(Complaint) {
        try require((machine.pid != nil) == isAlive, "pid \(String(describing: machine.pid)), alive \(isAlive)")
        switch machine.state {
        case .down, .waiting, .failed:
            try require(!isAlive && !isSpawning, "at rest with a process")
            try require(ports.isEmpty, "at rest with an open port")
            try require(openPromises.isEmpty, "at rest with an unsettled start")
            try require(slot == .none, "at rest with a slot")
            try require(lastRecorded == machine.generation, "a life without a verdict")
        case .running:
            try require(isAlive && ports.count == 1, "running without process and port")
            try require(slot == .none && openPromises.isEmpty, "running with a start under way")
        case .starting:
            try require(machine.deadline != nil || slot == .requested, "nothing ends this wait")
        case .closing:
            try require(slot == .none, "closing with a slot")
            try require(owesNews, "nothing ends this wait")
            try require(!isAlive || machine.deadline != nil, "waits for ever for an exit")
        }
        if machine.isShuttingDown, case .waiting = machine.state { throw Complaint(description: "waits in a shutdown") }
        if case .waiting = machine.state { try require(machine.wanted == .up, "waits though not wanted") }
    }

    private func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(Complaint) {
        if !holds { throw Complaint(description: rule()) }
    }
}
