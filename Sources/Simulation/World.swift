import Glibc
import Supervision

/// The platform with everything around it, simulated: the machines of the supervision plane are the real ones, and are
/// driven as `SupervisionPlane` drives them; clock, core, processes and users are played. Every step is audited.
final class World {
    enum Occurrence {
        case input(Int)
        case stimulus(Stimulus)
        case timer(Limit)
        /// The same moment, when all else that is due then has been handled.
        case timerBehindArrivals(Limit)
        case round
        case coreAnswers(UInt32)
        case callEnds(UInt64)
        case taskTimer
        case child(Int, pid: Int32, ChildStep)
        /// To a component by its place, or by a connector.
        case fromCore(Int?, ComponentEvent)
        case portEnds(String, PortEnd)
        case coreReady
        case login(LoginMachine.Event)
        case mustHaveEnded
        case boot
    }

    /// What others keep, and the supervisor watches.
    enum Limit {
        case component(Int), heart(Int)
        case coreHeart, call
    }

    enum ChildStep {
        case hello, preloaded, ready
        case act(ChildAct)
        case dies(ExitStatus)
        case exitSeen(ExitStatus)
        case answers(UInt32)
        case spawned
    }

    enum Phase { case booting, running, closing, over }

    let setup: Setup
    let inputs: [Input]
    let trace: ((String) -> Void)?
    var now = Instant(nanoseconds: 0)
    /// Steps of machines.
    var events = 0
    /// Of all that happened: two runs with the same are the same.
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    var agenda = Agenda<(epoch: UInt64, what: Occurrence)>()
    /// Of the supervisor; what was under way in an earlier one is gone.
    var epoch: UInt64 = 0
    let components: [SimulatedComponent]

    // Of the present supervisor.
    var phase = Phase.over
    var queue: StartQueue<Int>
    var queueAudit: QueueAudit
    var login: LoginMachine
    var loginAudit: LoginAudit
    var outcome = LoginOutcome(after: nil, succeeds: false, renewal: .milliseconds(80))
    var requests: UInt64 = 0
    var calls = CallWatch()
    var callAudit = CallAudit()
    var callTimerAt: Instant?
    var callNumbers: UInt64 = 0
    var tasks = BackgroundTaskManager()
    var taskAudit = TaskAudit()
    var taskTimerAt: Instant?
    var conditions = MachineConditions(load: 0.1, power: .external)
    var coreHeart: Heartbeat
    var coreHeartAudit: HeartAudit
    var coreHeartTimerAt: Instant?
    var coreHangsUntil = Instant(nanoseconds: 0)
    var connectors: [String: Int] = [:]
    var ports: [String: CorePort] = [:]
    var connectorNumbers = 0
    var pids: Int32 = 100
    var inbox: [(Int, ComponentEvent)] = []
    var isDelivering = false
    /// When a shutdown or a logout has to be over.
    var endsBy: Instant?

    /// A port as the core plane knows it.
    struct CorePort {
        let component: Int
        let plan: CorePlan
    }

    init(_ setup: Setup, _ inputs: [Input], trace: ((String) -> Void)? = nil) {
        self.setup = setup
        self.inputs = inputs
        self.trace = trace
        components = setup.components.map(SimulatedComponent.init)
        queue = StartQueue(limit: setup.slots)
        queueAudit = QueueAudit(limit: setup.slots)
        login = LoginMachine(isLocal: setup.isLocal, expected: setup.expectedUser)
        loginAudit = LoginAudit(isLocal: setup.isLocal, expected: setup.expectedUser)
        coreHeart = Heartbeat(setup.coreHeartbeat)
        coreHeartAudit = HeartAudit(setup.coreHeartbeat)
    }

    /// Plays all that happens until `end`, and then a shutdown.
    func run(until end: Instant) throws(Violation) {
        for (index, input) in inputs.enumerated() { agenda.add((0, .input(index)), at: input.at) }
        try boot()
        try play(until: end)
        now = max(now, end)
        note { "the end: shutdown" }
        if phase == .running || phase == .booting { try shutdown() }
        while phase == .closing, let next = agenda.next { try play(until: next) }
        try require(.shutdownEnds, phase != .closing, "the supervisor does not end")
    }

    private func play(until end: Instant) throws(Violation) {
        while let next = agenda.next, next <= end, let entry = agenda.pop() {
            now = max(now, entry.at)
            switch entry.what.what {
            case .input(let index): try apply(inputs[index].what)
            case let what where entry.what.epoch == epoch: try happen(what, at: entry.at)
            default: break
            }
        }
    }

    func later(_ after: Duration, _ what: Occurrence) { agenda.add((epoch, what), at: now + after) }

    func note(_ line: () -> String) {
        if let trace { trace("\(Words.of(now))  \(line())") }
    }

    func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01B3 }

    private func happen(_ what: Occurrence, at: Instant) throws(Violation) {
        switch what {
        case .input(let index): try apply(inputs[index].what)
        case .stimulus(let stimulus): try apply(stimulus)
        case .timer(let limit): agenda.add((epoch, .timerBehindArrivals(limit)), at: at)
        case .timerBehindArrivals(let limit): try fire(limit, at: at)
        case .round: try askAll()
        case .coreAnswers(let number): try coreAnswers(number)
        case .taskTimer:
            guard taskTimerAt == at else { return }
            taskTimerAt = nil
            try schedule(.tick(conditions))
        case .callEnds(let number): try callEnds(number)
        case .child(let index, let pid, let step): try childSteps(index, pid, step)
        case .fromCore, .portEnds:
            if now < coreHangsUntil { agenda.add((epoch, what), at: coreHangsUntil) } else { try coreSays(what) }
        case .coreReady: try coreReady()
        case .login(.signedIn(let user)): try signedIn(user)
        case .login(let event): try handle(event)
        case .mustHaveEnded:
            guard let endsBy else { return }
            if now < endsBy {
                agenda.add((epoch, .mustHaveEnded), at: endsBy)
            } else {
                let left = components.filter { $0.driver?.isDown == false }.map { "\($0.spec.id)" }
                throw Violation(.shutdownEnds, "still there: \(left.joined(separator: ", "))")
            }
        case .boot: try boot()
        }
    }

    /// Unless what was handled before has stopped the timer.
    private func fire(_ limit: Limit, at: Instant) throws(Violation) {
        switch limit {
        case .component(let index):
            guard let driver = components[index].driver, driver.timerAt == at else { return }
            driver.timerAt = nil
            try deliver(.tick, to: index)
        case .heart(let index):
            guard let driver = components[index].driver, driver.heartTimerAt == at else { return }
            driver.heartTimerAt = nil
            try tickHeart(driver)
        case .coreHeart:
            guard coreHeartTimerAt == at else { return }
            coreHeartTimerAt = nil
            try tickCoreHeart()
        case .call:
            guard callTimerAt == at else { return }
            callTimerAt = nil
            try tickCalls()
        }
    }

    // MARK: Machines

    func deliver(_ event: ComponentEvent, to index: Int) throws(Violation) {
        inbox.append((index, event))
        guard !isDelivering else { return }
        isDelivering = true
        while !inbox.isEmpty {
            let (index, event) = inbox.removeFirst()
            if let driver = components[index].driver { try step(driver, event) }
        }
        isDelivering = false
        try logOutIfAllAreDown()
        finishIfDone()
    }

    private func step(_ driver: Driver, _ event: ComponentEvent) throws(Violation) {
        let before = driver.machine
        events += 1
        let random = Dice.unit(
            Dice.mix(
                setup.seed ^ Dice.mix(UInt64(bitPattern: now.nanoseconds)) ^ UInt64(driver.component) &* 0x9E37_79B9))
        driver.audit.happens(event)
        let actions = driver.machine.handle(event, at: now, random: random)
        mix(UInt64(bitPattern: now.nanoseconds))
        mix(UInt64(driver.component) << 32 | UInt64(actions.count) << 24 | driver.machine.generation)
        note {
            "\(driver.machine.spec.id): \(Words.of(event))"
                + (actions.isEmpty ? "" : " → " + actions.map { Words.of($0) }.joined(separator: ", "))
                + "  [\(driver.machine.state.name)]"
        }
        try driver.audit.check(event, actions, of: driver.machine, from: before, at: now, random: random)
        let connector = driver.machine.connectorID
        if connector != before.connectorID {
            if let last = before.connectorID { connectors[last] = nil }
            if let connector { connectors[connector] = driver.component }
        }
        for action in actions { try perform(action, driver) }
        if driver.machine.state.name != before.state.name { resetHeart(driver) }
        armTimer(driver)
        try notePresence(driver)
    }

    /// After a time without turns: each timer goes off once.
    func rearm() {
        for component in components {
            guard let driver = component.driver else { continue }
            armTimer(driver)
            armHeart(driver)
        }
        armCoreHeart()
        armCalls()
        armTasks()
    }

    private func armTimer(_ driver: Driver) {
        guard driver.timerAt != driver.machine.deadline else { return }
        driver.timerAt = driver.machine.deadline.map { max($0, now) }
        if let at = driver.timerAt { agenda.add((epoch, .timer(.component(driver.component))), at: at) }
    }

    private func perform(_ action: ComponentAction, _ driver: Driver) throws(Violation) {
        let index = driver.component
        switch action {
        case .askCoreToLaunch: coreLaunches(index)
        case .requestSlot:
            let granted = queue.request(index)
            try queueAudit.requested(index, granted, queue)
            try grant(granted)
        case .releaseSlot:
            let granted = queue.release(index)
            try queueAudit.released(index, granted, queue)
            try grant(granted)
        case .prepare(let connector): corePrepares(connector)
        case .spawn(let connector, _): try spawn(driver, connector)
        case .settleStart: break
        case .refuseStart(let connector, _): ports[connector] = nil
        case .sendStop: order(driver)
        case .closePort(let connector): closePort(connector, .byPlatform)
        case .tellCoreExited(let connector): closePort(connector, driver.lastPortEnd)
        case .signal(let number): signal(driver, number)
        case .record: break
        case .forget: components[index].driver = nil
        }
        if !components[index].ambushes.isEmpty { spring(action, index) }
    }

    private func grant(_ ids: [Int]) throws(Violation) {
        for id in ids { try deliver(.slotGranted, to: id) }
    }

    private func spring(_ action: ComponentAction, _ index: Int) {
        let moment: Stimulus.Moment? =
            switch action {
            case .askCoreToLaunch: .launch
            case .requestSlot: .slot
            case .prepare: .prepare
            case .spawn: .spawn
            case .settleStart(_, .ready): .ready
            case .sendStop: .stopOrder
            case .signal: .signal
            case .closePort: .closePort
            case .tellCoreExited: .coreTold
            case .record: .verdict
            case .releaseSlot, .settleStart, .refuseStart, .forget: nil
            }
        let component = components[index]
        for ambush in component.ambushes where ambush.moment == moment {
            later(ambush.after, .stimulus(ambush.what))
        }
        component.ambushes.removeAll { $0.moment == moment }
    }
}
