internal import CSystem
internal import Configuration
internal import Control
internal import CoreHosting
internal import EventLoop
internal import Glibc
internal import Logging
internal import PostMortems
internal import SandboxPolicy
internal import Secrets
internal import Supervision
internal import Wire

/// The supervision plane: holds the machines of all components, feeds them news, does what they say.
///
/// What happens when a child dies: `ChildProcess` reaps it and tells `exited`; `childExited` says so, and hands it to the
/// component's machine, in a storm of deaths some milliseconds later; the machine asks the core plane to drain
/// the pipe and to tell the core (`tellCoreExited`); on the core plane's `portClosed` the machine gives its verdict and
/// goes on by its rules.
final class Supervisor {
    /// Running: the core is there; whether a user is logged in is the login's state.
    enum Phase { case booting, running, closing }

    let loop: Loop
    let options: RunOptions
    let folder: DataFolder
    let places: ProgramPlaces
    let apps: String
    var configuration: Configuration
    let sandbox: ComponentSandbox
    let log: LogStore
    let auditTrail: AuditTrail
    let postMortems: PostMortemStore
    /// By the ids of components, newest first.
    var earlierVerdicts: [String: [InspectReply.Exit]] = [:]
    /// Nil: nobody wants to hear.
    let manager: ServiceManager?
    let journal = EventJournal()
    weak var server: ControlServer?
    /// Open descriptors by kind, before there was any component; for `doctor`.
    private(set) var descriptorsAtStart: [DescriptorKind: Int]?
    var evaluations: [UInt32: OpenEvaluation] = [:]
    var lastEvaluation: UInt32 = 0
    /// Nil: none may be injected.
    let faults: FaultDesk?
    /// Of an earlier run that ended all at once.
    var leftBehindFaults: [FaultRow] = []
    let startedAt: Instant
    private(set) var phase = Phase.booting
    private(set) var drivers: [ComponentID: ComponentDriver] = [:]
    /// Ids in the order of the catalog; instances of one connection behind it.
    private(set) var order: [ComponentID] = []
    private(set) var corePorts: [String] = []
    private(set) var keyStores: [String] = []
    private(set) var problems: [Catalog.Problem] = []
    var login: LoginMachine
    var loginExchanges: [UInt64: LoginExchange] = [:]
    var lastLogin: UInt64 = 0
    /// Of attempts that are being asked for.
    var passwords: [UInt64: Secret] = [:]
    /// Why the automatic login that is set did not happen.
    var loginProblem: String?
    /// A system app has asked for the platform's end after the logout.
    var closesAfterLogout = false
    var coreCalls = CallWatch()
    let coreCallTimer: Timer
    private var catalog: [ComponentID: Catalog.Component] = [:]
    private(set) var core: CorePlane?
    var coreHeartbeat: Heartbeat
    let coreHeartbeatTimer: Timer
    let roundTimer: Timer
    var backgroundTasks: BackgroundTaskManager
    let taskTimer: Timer
    let coreIdleTimer: Timer
    /// When it last did something, as long as what it left behind is not collected.
    var coreBusyAt: Instant?
    let machineReadings = MachineReadings()
    private var connectors: [String: ComponentID] = [:]
    private var queue: StartQueue<ComponentID>
    private var inbox: [(ComponentID, ComponentEvent)] = []
    private var isDelivering = false
    private var calls: [UInt64: (CallOutcome) -> Void] = [:]
    private var nextCall: UInt64 = 0
    private let null: Int32
    private(set) var zygote: Zygote?
    let kernelLog = KernelLog()
    /// Seen; what they lead to is to follow.
    var deaths: [Death] = []
    var storm = DeathStorm()
    let stormTimer: Timer
    private let deadline: Timer
    private var exitCode: ExitCode = .ok
    /// Why it ends, if that is no wish of anybody's.
    private(set) var endReason: String?
    var shutdownReport: ShutdownReport?
    private var random = SystemRandomNumberGenerator()
    private var coreHasStopped = false
    /// Its thread still runs: the process can only end without it.
    private(set) var coreIsAbandoned = false

    /// From the start of the boot to a core that takes logins.
    private static let bootLimit = Duration.seconds(60)
    /// From the order to stop to the end of the core plane, beyond what the components may take.
    private static let coreStopLimit = Duration.seconds(5)
    /// From SIGKILL for all children to the end, if their exits are not seen.
    private static let killLimit = Duration.seconds(2)
    private static let lastDeathsLimit = Duration.seconds(2)

    init(
        options: RunOptions, folder: DataFolder, places: ProgramPlaces, apps: String, configuration: Configuration,
        sandbox: ComponentSandbox, log: LogStore, manager: ServiceManager?, loop: Loop
    ) {
        self.options = options
        self.folder = folder
        self.places = places
        self.apps = apps
        self.configuration = configuration
        self.sandbox = sandbox
        self.log = log
        auditTrail = AuditTrail(log, folder: folder.logs)
        postMortems = PostMortemStore(folder: folder.deaths, on: loop)
        self.manager = manager
        self.loop = loop
        startedAt = Instant(loop)
        faults = options.allowsFaults ? FaultDesk(folder: folder.path, on: loop) : nil
        queue = StartQueue(limit: 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        null = open("/dev/null", O_RDWR | O_CLOEXEC)
        deadline = Timer(on: loop)
        coreHeartbeat = Heartbeat(configuration.coreHeartbeat)
        coreHeartbeatTimer = Timer(on: loop)
        coreCallTimer = Timer(on: loop)
        login = LoginMachine(isLocal: options.isLocal, expected: options.expectedUser)
        roundTimer = Timer(on: loop)
        stormTimer = Timer(on: loop)
        backgroundTasks = BackgroundTaskManager(permitted: configuration.permittedTasks)
        taskTimer = Timer(on: loop)
        coreIdleTimer = Timer(on: loop)
        log.onFilesChange = { [weak self] in self?.noteFiles($0, $1) }
    }

    private func sayWhetherDeathsAreKept(_ failure: String?) {
        guard let failure else {
            say(.notice, "deaths are kept on the disk again", ["lost": "\(postMortems.report.lost)"])
            return
        }
        say(.error, "deaths cannot be kept on the disk; the last ones stay in memory", ["reason": failure])
    }

    /// Starts the core plane and with it the boot sequence; `run` of the loop then gives the exit code.
    func start() throws(UVError) {
        journal.record(
            .supervisorStarted, ["version": Version.number, "pid": "\(getpid())", "data": folder.path])
        readEarlierVerdicts()
        takeLeftBehindFaults()
        postMortems.failureChanged = { [unowned self] in sayWhetherDeathsAreKept($0) }
        core = try CorePlane(
            places: CorePlaces(
                resources: places.resources, bundles: places.bundles, apps: apps, packs: options.packsFolder,
                files: folder.files, keys: folder.keys, authorities: options.authoritiesFile,
                dohResolvers: configuration.dohResolvers, systemApps: configuration.systemApps,
                isLocal: options.isLocal, expectedUser: options.expectedUser, autoStartup: options.autoStartup),
            reportingTo: loop
        ) { [unowned self] in coreSays($0) }
        if options.isLocal { makeZygote() }
        deadline.startBehindArrivals(after: Self.bootLimit) { [unowned self] in
            bootFailed(step: "init", reason: "not done after \(Self.bootLimit.text)")
        }
    }

    /// Whom components wait for makes it at once. Who waits for a login has time: two processes that load their libraries
    /// side by side hold each other up.
    private func makeZygote() {
        zygote = Zygote(
            program: places.component, null: null, on: loop,
            isComponent: { [unowned self] pid in drivers.values.contains { $0.child?.pid == pid } },
            news: { [unowned self] in zygoteSays($0) })
    }

    func run() -> ExitCode {
        loop.run()
        return exitCode
    }

    var now: Instant { Instant(loop) }

    // MARK: The core plane

    private func coreSays(_ event: CoreEvent) {
        if case .heartbeat = event {} else { awaitCoreIdleness() }
        switch event {
        case .bootStep(let step, let milliseconds):
            say(.info, "boot step done", ["step": step, "took": Self.milliseconds(milliseconds)])
        case .coreReady(let start, let ports, let problem): coreReady(start, ports, problem)
        case .catalogChanged(let catalog): catalogChanged(catalog)
        case .bootFailed(let step, let reason): bootFailed(step: step, reason: reason)
        case .signedIn(let userId, let catalog): signedIn(userId, catalog)
        case .attemptFailed(let number, let refusal): handle(.attemptFailed(number, refusal))
        case .loginNews(let number, let progress): loginNews(number, progress)
        case .renewed: handle(.coreRenewed)
        case .notRenewed(let reason): handle(.coreNotRenewed(reason: reason))
        case .callBegan(let number, let name, let limit): coreCallBegan(number, name, limit)
        case .callEnded(let number): coreCallEnded(number)
        case .startRequested(let connector, let id): startRequested(connector, id)
        case .launchFailed(let id, let reason): deliver(.launchFailed(reason), to: id)
        case .prepared(let connector, let child): prepared(connector, child)
        case .prepareFailed(let connector, let fault):
            deliver(.prepareFailed(connector: connector, fault), ofConnector: connector)
        case .portClosed(let connector, let end, let traffic): portClosed(connector, end, traffic)
        case .traffic(let figures):
            for (connector, traffic) in figures {
                if let driver = driver(ofConnector: connector) { trafficChanged(traffic, driver) }
            }
        case .heartbeat(let number): coreGaveTurn(number)
        case .stack(let stack): say(.warning, "the core's call is at\n\(stack)", ["from": "core"])
        case .closeRequested(let connector): deliver(.stop(by: .core), ofConnector: connector)
        case .called(let number, let outcome): calls.removeValue(forKey: number)?(outcome)
        case .userInterface(let event): userInterface(event)
        case .keyStore(let store, let reason):
            keyStores.append(store)
            say(.notice, "key store in use", ["store": store].merging(reason.map { ["reason": $0] } ?? [:]) { $1 })
        case .console(let level, let text): say(LogLevel(level), text, ["from": "core"])
        case .stopped:
            coreHasStopped = true
            finishIfDone()
        }
    }

    private func coreReady(_ start: CoreStart, _ ports: [String], _ problem: String?) {
        guard phase == .booting else { return }
        deadline.stop()
        phase = .running
        corePorts = ports
        if zygote == nil { makeZygote() }
        if drivers.isEmpty { descriptorsAtStart = KernelView.descriptors() }
        watchHealth()
        loginProblem = problem
        if let problem { say(.error, problem) }
        handle(.coreReady(start))
        tellReady()
        tellStatus()
    }

    /// The user's components are down; the next user has others.
    func forgetCatalog() {
        for id in order { if let driver = drivers[id] { forget(driver) } }
        catalog = [:]
        problems = []
    }

    private func bootFailed(step: String, reason: String) {
        guard phase == .booting else {
            say(.error, "core plane failed", ["step": step, "reason": reason])
            return
        }
        say(.critical, "boot failed", ["step": step, "reason": reason])
        endReason = "boot failed in \(step): \(reason)"
        journal.record(.bootFailed, ["step": step, "reason": reason])
        exitCode = step.hasPrefix("core/") || step.hasPrefix("bundle/") ? .coreBundleInvalid : .bootFailed
        shutdown()
    }

    private func catalogChanged(_ catalog: Catalog) {
        // Of a user who is logging out there is nothing more to start.
        guard phase == .running, login.userId != nil else { return }
        adopt(catalog)
        say(.notice, "apps changed", ["components": "\(drivers.count)"])
        journal.record(.appsChanged, ["components": "\(drivers.count)"])
        schedule(.changed(taskSpecs))
    }

    /// Components that are no longer there are stopped and forgotten once they are down.
    func adopt(_ catalog: Catalog) {
        for problem in catalog.problems where !problems.contains(problem) {
            say(.error, problem.message, ["app": problem.appDomain, "file": problem.file])
        }
        problems = catalog.problems
        self.catalog = [:]
        for component in catalog.components where component.runtime == "deno" {
            self.catalog[component.id] = component
            if let driver = drivers[component.id], !component.perConnection {
                driver.info = component
                driver.isGone = false
                driver.machine.adopt(policy(of: component, component.id).restart)
            } else if !component.perConnection {
                add(component, component.id)
            }
        }
        for driver in Array(drivers.values) {
            let single = ComponentID(appDomain: driver.id.appDomain, entrypoint: driver.id.entrypoint)
            guard let info = self.catalog[single], info.perConnection || driver.id == single else {
                driver.isGone = true
                deliver(.stop(by: .core), to: driver.id)
                continue
            }
        }
    }

    /// What was wrong with the file when the platform booted has been mended since.
    func forgetProblem(ofFile file: String) { problems.removeAll { $0.file == file } }

    private func add(_ component: Catalog.Component, _ id: ComponentID) {
        drivers[id] = ComponentDriver(component, ComponentSpec(id: id, policy: policy(of: component, id)), on: loop)
        order.append(id)
    }

    func policy(of component: Catalog.Component, _ id: ComponentID) -> RestartPolicy {
        let usual: RestartType = component.startsWithSystem ? .permanent : .temporary
        return configuration.policy(for: id, restart: component.restart ?? usual)
    }

    private func startRequested(_ connector: String, _ id: ComponentID) {
        if drivers[id] == nil, id.instance != 0,
            let component = catalog[ComponentID(appDomain: id.appDomain, entrypoint: id.entrypoint)]
        {
            add(component, id)
        }
        guard drivers[id] != nil else {
            core?.send(.settleStart(connector: connector, .failed("no such component in the catalog")))
            return
        }
        deliver(.startRequested(connector: connector), to: id)
    }

    private func prepared(_ connector: String, _ child: PreparedChild) {
        guard let driver = driver(ofConnector: connector) else {
            close(child.dataDescriptor)
            return
        }
        driver.prepared = child
        deliver(.prepared(connector: connector), to: driver.id)
        // A start that was ended meanwhile takes nothing.
        driver.dropPrepared()
    }

    private func portClosed(_ connector: String, _ end: PortEnd, _ traffic: PortTraffic) {
        // Told twice when the pipe's end and the exit cross on their ways: once counts.
        guard let driver = driver(ofConnector: connector) else { return }
        connectors[connector] = nil
        driver.traffic = traffic
        driver.ports.end(end, traffic)
        say(.info, "core told", about: driver, ["connector": connector])
        deliver(.portClosed(connector: connector, end), to: driver.id)
    }

    private func userInterface(_ event: UserInterfaceEvent) {
        switch event {
        case .startActivity(let connector, let id):
            say(.notice, "a window was asked for; there is none here", ["component": "\(id)", "connector": connector])
        case .focusActivity(let connector): say(.info, "a window was to be raised", ["connector": connector])
        case .systemErrorBox(let title, let content): say(.error, "\(title): \(content)", ["from": "core"])
        case .scanUrlQr: say(.notice, "a QR code was to be scanned; there is no window for it here")
        case .logout(let closePlatform): logOut(closingPlatform: closePlatform)
        case .exitAll:
            say(.notice, "the core ends the platform")
            shutdown()
        }
    }

    private func driver(ofConnector connector: String) -> ComponentDriver? {
        connectors[connector].flatMap { drivers[$0] }
    }

    // MARK: Events and actions

    private func deliver(_ event: ComponentEvent, ofConnector connector: String) {
        if let id = connectors[connector] { deliver(event, to: id) }
    }

    /// Hands an event to a machine and performs what it says; events that come of that wait their turn.
    func deliver(_ event: ComponentEvent, to id: ComponentID) {
        for fault in faultsOfCore(behind: event) { inbox.append((id, .faultApplied(fault))) }
        inbox.append((id, event))
        guard !isDelivering else { return }
        isDelivering = true
        while !inbox.isEmpty {
            let (id, event) = inbox.removeFirst()
            if let driver = drivers[id] { step(driver, event) }
        }
        isDelivering = false
        logOutIfAllAreDown()
        finishIfDone()
    }

    private func step(_ driver: ComponentDriver, _ event: ComponentEvent) {
        let (before, restarts) = (driver.machine.state.name, driver.machine.restarts)
        let connector = driver.machine.connectorID
        let actions = driver.machine.handle(event, at: now, random: Double.random(in: 0..<1, using: &random))
        if driver.machine.connectorID != connector { connectorChanged(driver, from: connector) }
        for action in actions { perform(action, driver) }
        if driver.machine.state.name != before {
            resetHeartbeat(driver)
            stateChanged(driver)
            tellStatus()
            noteChange(driver, from: before, restarts: restarts)
            lookAtFaults()
        }
        armTimer(driver)
        notePresence(driver)
        answerWaiters(driver)
        if driver.isGone, driver.isDown, drivers[driver.id] === driver { forget(driver) }
    }

    private func connectorChanged(_ driver: ComponentDriver, from last: String?) {
        if let last { connectors[last] = nil }
        guard let connector = driver.machine.connectorID else { return }
        connectors[connector] = driver.id
        driver.traffic = PortTraffic()
        driver.ports.begin(connector, generation: driver.machine.generation)
    }

    private func armTimer(_ driver: ComponentDriver) {
        guard drivers[driver.id] != nil else { return }
        guard let deadline = driver.machine.deadline else {
            driver.timer.stop()
            return
        }
        driver.timer.startBehindArrivals(after: deadline - now) { [unowned self] in deliver(.tick, to: driver.id) }
    }

    private func perform(_ action: ComponentAction, _ driver: ComponentDriver) {
        let id = driver.id
        switch action {
        case .askCoreToLaunch: core?.send(.launch(id))
        case .requestSlot: grant(queue.request(id))
        case .releaseSlot: grant(queue.release(id))
        case .prepare(let connector):
            let queue = driver.machine.spec.policy.queue
            core?.send(.prepare(connector: connector, generation: driver.machine.generation, queue))
        case .spawn(let connector, let generation): spawn(driver, connector, generation)
        case .settleStart(let connector, let result):
            switch result {
            case .ready: core?.send(.settleStart(connector: connector, .ready))
            case .failed(let verdict): core?.send(.settleStart(connector: connector, .failed(verdict.text)))
            }
        case .refuseStart(let connector, let refusal):
            core?.send(.settleStart(connector: connector, .refused(refusal)))
        case .sendStop: driver.child?.send(.stop)
        case .closePort(let connector):
            driver.dropPrepared()
            core?.send(.closePort(connector: connector, cause: "closed by the platform"))
        case .tellCoreExited(let connector):
            core?.send(.childExited(connector: connector, cause: "its process ended"))
        case .signal(let number): driver.child?.signal(number)
        case .record(let verdict, let generation): record(verdict, generation, driver)
        case .forget: forget(driver)
        }
    }

    private func grant(_ ids: [ComponentID]) {
        for id in ids { deliver(.slotGranted, to: id) }
    }

    private func spawn(_ driver: ComponentDriver, _ connector: String, _ generation: UInt64) {
        guard let prepared = driver.prepared else { preconditionFailure("\(driver.id): a spawn without its code") }
        defer { driver.dropPrepared() }
        do {
            if let refusal = refusedSpawn(driver) {
                throw ChildProcess.SpawnError(errno: refusal, call: "posix_spawn (an injected fault)")
            }
            let child = try ChildProcess(
                program: places.component, zygote: zygote, generation: generation,
                nice: driver.machine.spec.policy.nice,
                data: prepared.dataDescriptor, null: null,
                environment: EngineEnvironment.variables(driver.machine.spec.policy), on: loop
            ) { [unowned self, unowned driver] in childSays($0, driver) }
            driver.child = child
            driver.isCrashed = false
            driver.sandbox = nil
            driver.statusText = nil
            driver.spawnedAt = now
            resetMemory(driver)
            sendBoot(
                .boot(
                    BootOrder(
                        generation: generation, appDomain: driver.id.appDomain, entrypoint: driver.id.entrypoint,
                        connectorId: connector, resources: places.resources, bundles: places.bundles ?? "",
                        code: prepared.code, frameLimit: CorePlaces.defaultFrameLimit,
                        callReportedAfter: driver.machine.spec.policy.heartbeat.soft.wholeMilliseconds,
                        callEndedAfter: driver.machine.spec.policy.heartbeat.hard.wholeMilliseconds,
                        memory: MemoryOrder(driver.machine.spec.policy.memory),
                        queue: QueueOrder(driver.machine.spec.policy.queue), acceptsFaults: options.allowsFaults,
                        sandbox: sandbox.order)), to: child, driver)
            say(
                .info, "component spawned", about: driver,
                ["connector": connector, "pid": "\(child.pid)", "by": child.isForked ? "zygote" : "exec"])
            deliver(.spawned(pid: child.pid), to: driver.id)
            startCame(to: .spawned, driver)
        } catch {
            let failure = error as? ChildProcess.SpawnError
            say(
                .error, "component not spawned", about: driver,
                ["call": failure?.call, "errno": failure.map { "\($0.errno)" }, "program": places.component])
            deliver(
                .spawnFailed(errno: failure?.errno ?? EINVAL, program: places.component), to: driver.id)
        }
    }

    private func zygoteSays(_ news: Zygote.News) {
        switch news {
        case .ready(let pid): say(.info, "zygote ready", ["pid": "\(pid)"])
        case .ended where phase == .closing: break
        case .ended(let how):
            say(.warning, "zygote ended; components start slower until there is another one", ["how": how])
        }
    }

    func forget(_ driver: ComponentDriver) {
        driver.timer.close()
        driver.heartbeatTimer.close()
        driver.idleTimer.close()
        drivers[driver.id] = nil
        order.removeAll { $0 == driver.id }
        log.forget(component: "\(driver.id)")
    }

    // MARK: Children

    private func childSays(_ news: ChildProcess.News, _ driver: ComponentDriver) {
        switch news {
        case .report(let report): if !driver.isCrashed { reported(report, driver) }
        case .output(let line): record(.info, line, stream: .output, driver)
        case .violation(let how): deliver(.protocolViolated(how), to: driver.id)
        case .exited(let status): childExited(driver, status)
        }
    }

    private func reported(_ report: ComponentReport, _ driver: ComponentDriver) {
        switch report {
        case .hello(let version, let generation, _):
            guard version == wireProtocolVersion, generation == driver.machine.generation else {
                deliver(
                    .protocolViolated(
                        "its hello names version \(version) and generation \(generation), not"
                            + " \(wireProtocolVersion) and \(driver.machine.generation)"), to: driver.id)
                return
            }
            deliver(.hello, to: driver.id)
            startCame(to: .hello, driver)
        case .preloaded:
            guard sandbox.order == nil || driver.sandbox != nil else {
                deliver(.protocolViolated("it does not say that its sandbox is closed"), to: driver.id)
                return
            }
            deliver(.preloaded, to: driver.id)
            startCame(to: .preloaded, driver)
        case .ready: deliver(.ready, to: driver.id)
        case .failure(let failure):
            if let stack = failure.stack { record(.error, "\(failure.message)\n\(stack)", stream: .console, driver) }
            deliver(.failureReported(ReportedFailure(failure)), to: driver.id)
        case .log(let level, let text, let place):
            record(LogLevel(level), text, stream: .console, at: place, driver)
        case .closing: deliver(.closingReported, to: driver.id)
        case .heartbeatReply(let number): gaveTurn(number, driver)
        case .busy(let milliseconds, let stack): isBusy(milliseconds, stack, driver)
        case .confined(let report):
            guard driver.sandbox == nil, sandbox.order != nil else {
                deliver(.protocolViolated("it says that its sandbox is closed when that is not due"), to: driver.id)
                return
            }
            driver.sandbox = report
        case .evaluated(let number, let value, let failure): evaluated(number, value, failure: failure, driver)
        case .holds: lookAtMemoryNow(driver)
        case .measured(let number, let figures): measured(number, figures, driver)
        case .status(let text): driver.statusText = text.isEmpty ? nil : Self.shown(status: text)
        case .extendStart(let milliseconds): extendStart(milliseconds, driver)
        case .gaveUp(let data, let refused, let limit): gaveUp(data, refused, limit, driver)
        case .refused(let call, let architecture):
            let name = SystemCallFilter.name(ofCall: call, architecture: architecture)
            deliver(.failureReported(ReportedFailure(kind: .sandboxDenial, message: name)), to: driver.id)
        case .fatal(let fatal): deliver(.fatalSignal(FatalSignal(fatal, pid: driver.child?.pid)), to: driver.id)
        }
    }

    // MARK: Calls

    /// Asks the core plane; `done` gets its answer, unless the function that this gives has been called.
    @discardableResult
    func ask(_ request: (UInt64) -> CoreRequest, done: @escaping (CallOutcome) -> Void) -> () -> Void {
        let number = nextCall
        nextCall += 1
        calls[number] = done
        core?.send(request(number))
        return { [weak self] in self?.calls[number] = nil }
    }

    /// Calls a service as the platform's user. Gives a function that ends the call for its service too.
    func call(_ call: ServiceCall, done: @escaping (CallOutcome) -> Void) -> () -> Void {
        let number = nextCall
        ask({ .call(number: $0, call) }, done: done)
        return { [weak self] in
            guard let self, calls.removeValue(forKey: number) != nil else { return }
            core?.send(.abandonCall(number: number))
        }
    }

    // MARK: The end

    /// Closes every component, then the core, then everything; a second call does not wait for the components.
    func shutdown() {
        followAllDeaths()
        let fast = phase == .closing
        if !fast {
            phase = .closing
            shutdownReport = ShutdownReport(at: now)
            endHealthWatch()
            endFaults()
            handle(.shutdown)
            schedule(.loggedOut)
            say(.notice, "shutting down")
            journal.record(.supervisorCloses)
            let longest = drivers.values.map { $0.machine.spec.policy.stopGrace + $0.machine.spec.policy.killAfter }
                .max()
            let limit = (longest ?? .zero) + Self.coreStopLimit
            deadline.startBehindArrivals(after: limit) { [unowned self] in
                giveUp("the core does not stop; ending without it")
            }
            // The log and the console are closed after that, within 3 s.
            manager?.stopping(within: limit + Self.killLimit + .seconds(3), statusText)
        }
        for id in order { deliver(.shutdown(fast: fast), to: id) }
        finishIfDone()
    }

    var allAreDown: Bool {
        drivers.values.allSatisfy(\.isDown)
    }

    private var hasAskedCoreToStop = false
    /// Only what is being written is waited for.
    private var isEnding = false

    private func finishIfDone() {
        if coreIsAbandoned {
            if drivers.values.allSatisfy({ $0.child == nil }) { end() }
            return
        }
        guard phase == .closing, !isDelivering, allAreDown else { return }
        if !hasAskedCoreToStop {
            hasAskedCoreToStop = true
            core?.send(.stop)
        }
        guard coreHasStopped else { return }
        core?.join()
        core = nil
        end()
    }

    /// The core does not answer: its thread is left behind, the children are not.
    func giveUp(_ reason: String) {
        followAllDeaths()
        if phase != .closing {
            phase = .closing
            shutdownReport = ShutdownReport(at: now)
            endHealthWatch()
            endFaults()
        }
        say(.critical, reason)
        endReason = reason
        tellStatus()
        journal.record(.coreStalled, ["reason": reason])
        exitCode = .coreStalled
        coreIsAbandoned = true
        for driver in drivers.values { driver.child?.signal(SIGKILL) }
        deadline.startBehindArrivals(after: Self.killLimit) { [unowned self] in end() }
        finishIfDone()
    }

    private func end() {
        guard !isEnding else { return }
        isEnding = true
        zygote?.close()
        if let shutdownReport {
            let left = drivers.values.filter { !$0.isDown && $0.machine.generation > 0 }.map(\.id)
            let fields = shutdownReport.fields(at: now, left: left, calls: calls.count, logs: log.report)
            say(.notice, "shutdown report", fields)
        }
        say(.notice, "supervisor ends", ["exit code": "\(exitCode.rawValue)"])
        // Deaths that the disk has not taken by then are lost.
        deadline.start(after: Self.lastDeathsLimit) { [unowned self] in loop.stop() }
        postMortems.atRest { [unowned self] in loop.stop() }
    }
}
