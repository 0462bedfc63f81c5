internal import Cryptography
internal import EventLoop
internal import JSEngine
internal import Networking
internal import PlatformScripts
internal import Supervision

/// The core plane at work: boots the core, holds the login state, starts components at the core's wish, and does what the
/// supervision plane asks. Lives on the core's thread.
final class CoreSession {
    let loop: Loop
    let tell: (CoreEvent) -> Void
    let places: CorePlaces
    private let stackRequest: StackRequest
    let faults: CoreFaults
    let login = LoginState()
    private(set) var host: CoreHost?
    private var natives: CoreNatives?
    private(set) var connectivity: ConnectivityMonitor?
    private(set) var network: NetworkSession?
    private var sleep: SleepMonitor?
    private(set) var headless: HeadlessComponents?
    private(set) var pages: GUIComponents?
    /// What `open-url` was given before a login, to be processed after it.
    var urlAfterLogin: String?
    private(set) var isStopped = false

    init(
        places: CorePlaces, loop: Loop, _ stackRequest: StackRequest, _ faults: CoreFaults,
        tell: @escaping (CoreEvent) -> Void
    ) {
        self.stackRequest = stackRequest
        self.faults = faults
        self.places = places
        self.loop = loop
        self.tell = tell
    }

    var loggedUserId: String? { login.loggedUserId }

    var isUserLoggedIn: Bool { login.isUserLoggedIn }

    // MARK: Boot

    /// The boot sequence, up to a core that can sign users in. Each step is told with its duration; a step that fails
    /// names itself.
    func start() {
        var clock = StepClock(loop)
        do {
            let connectivity = ConnectivityMonitor(on: loop) { [unowned self] in connectivityChanged(isOnline: $0) }
            self.connectivity = connectivity
            let engine = makeEngine()
            let host = CoreHost(engine: engine, faults: faults, tell: tell)
            self.host = host
            let scripts = PlatformScripts(folder: places.resources, bundles: places.bundles)
            engine.provideScripts { try scripts.text("js/\($0)") }
            tell(.bootStep("context", milliseconds: clock.lap()))
            clock.step = "network"
            let network = NetworkSession(
                loop: loop, userAgent: "corehost/\(platformVersion)",
                authorities: try places.authorities.map { try CertificateAuthorities(path: $0) })
            self.network = network
            tell(.bootStep("network", milliseconds: clock.lap()))
            clock.step = "ports"
            headless = HeadlessComponents(host: host, frameLimit: places.frameLimit, tell: tell)
            pages = makePages(host)
            try registerPorts(on: engine, connectivity, network)
            tell(.bootStep("ports", milliseconds: clock.lap()))
            clock.step = "core/bundle.json"
            try scripts.provideLater(on: engine)
            let names = try Self.scripts(scripts, engine)
            clock.step = "scripts for later"
            try scripts.provideRest(on: engine)
            for name in names {
                clock.step = name
                try engine.evaluate(try scripts.text(name), sourceName: name)
                tell(.bootStep(name, milliseconds: clock.lap()))
            }
        } catch {
            tell(.bootFailed(step: clock.step, reason: "\(error)"))
            return
        }
        initCore(clock)
    }

    private func makeEngine() -> JSEngineHost {
        let engine = JSEngineHost(
            label: "core", loop: loop, console: { [unowned self] in console($0, $1) },
            uncaught: { [unowned self] kind, error in
                let what = kind == .error ? "uncaught error" : "unhandled rejection"
                tell(.console(.error, "\(what) in the core: \(error)\(error.stack.map { "\n\($0)" } ?? "")"))
            })
        engine.watchLongCalls { [unowned self] call in
            if stackRequest.take() { tell(.stack(call.stack() ?? "(this engine does not tell)")) }
            return nil
        }
        return engine
    }

    /// Scripts of the core's context, in the order of the boot sequence.
    private static func scripts(_ scripts: PlatformScripts, _ engine: JSEngineHost) throws -> [String] {
        ["js/common-preload.js", "js/device-fs.js"] + (try scripts.files(of: .core, with: engine))
            + PlatformScripts.aboveCore
    }

    private func registerPorts(
        on engine: JSEngineHost, _ connectivity: ConnectivityMonitor, _ network: NetworkSession
    ) throws {
        CommonInjectedFns.registerAll(on: engine)
        CoreInjectedFns(connectivity: connectivity, session: self).registerAll(on: engine)
        let natives = try CoreNatives(places: places, network: network, loop: loop) { [unowned self] use in
            tell(.keyStore(use.store.rawValue, reason: use.reason))
        }
        natives.registerAll(on: engine)
        self.natives = natives
        engine.installDispatcher()
    }

    private func initCore(_ clock: StepClock) {
        var clock = clock
        guard let host else { return }
        host.initCore(places) { [unowned self] result in
            guard !isStopped else { return }
            switch result {
            case .failure(let error):
                tell(.bootFailed(step: error.isOfBundle ? "bundle/core" : "init", reason: "\(error)"))
            case .success(let start):
                tell(.bootStep("init", milliseconds: clock.lap()))
                coreIsMade(start)
                loop.atNextTurn { [unowned self] in evaluateRest() }
            }
        }
    }

    private func evaluateRest() {
        guard !isStopped, let host else { return }
        do throws(CoreError) {
            try host.evaluateRest()
        } catch {
            tell(.bootFailed(step: "scripts for later", reason: "\(error)"))
        }
    }

    private func connectivityChanged(isOnline: Bool) {
        attempt("telling the core of the network") { host throws(CoreError) in
            try host.connectivityChanged(isOnline: isOnline)
        }
    }

    /// From the first sign-in on: before that there is no core that could store anything.
    func watchSleep() {
        if sleep != nil { return }
        sleep = SleepMonitor(
            on: loop, log: { [unowned self] in tell(.console(.debug, $0)) },
            suspends: { [unowned self] done in
                guard let host else { return done() }
                host.deviceSuspends { [unowned self] result in
                    if case .failure(let error) = result { tell(.console(.error, "suspending the core: \(error)")) }
                    done()
                }
            },
            resumes: { [unowned self] in
                host?.deviceResumes { [unowned self] result in
                    if case .failure(let error) = result { tell(.console(.error, "resuming the core: \(error)")) }
                }
            })
    }

    // MARK: Requests of the supervision plane

    func handle(_ request: CoreRequest) {
        if case .stop = request {
            stop()
            return
        }
        guard let host, let headless else { return }
        switch request {
        case .signIn(let request): signIn(request)
        case .renew: renew()
        case .ask(let number, let question): answer(question, number)
        case .openURL(let number, let url): openURL(url) { [tell] in tell(.called(number: number, $0)) }
        case .launch(let id):
            do throws(CoreError) {
                try host.launchComponent(id)
            } catch {
                tell(.launchFailed(id, "\(error)"))
            }
        case .prepare(let connector, let generation, let queue): headless.prepare(connector, generation, queue)
        case .settleStart(let connector, let outcome): headless.settleStart(connector, outcome)
        case .closePort(let connector, let cause): headless.end(connector, cause: cause)
        case .childExited(let connector, let cause): headless.childExited(connector, cause: cause)
        case .call(let number, let call):
            host.callService(number, call) { [unowned self] in tell(.called(number: number, outcome($0))) }
        case .abandonCall(let number):
            attempt("abandoning a call") { host throws(CoreError) in try host.abandonCall(number) }
        case .figures(let number, let connector):
            if let figures = headless.figures(connector) { tell(.traffic([connector: figures])) }
            tell(.called(number: number, .returned("null")))
        case .evaluate(let number, let text, let limit):
            let timer = Timer(on: loop)
            host.engine.evaluate(untrusted: text, within: limit, timer) { [unowned self] outcome in
                timer.close()
                switch outcome {
                case .value(let value): tell(.called(number: number, .returned(value)))
                case .failed(let reason): tell(.called(number: number, .rejected(exception: reason)))
                }
            }
        case .injectFault(let fault, let what, let number): inject(fault, what, answer: number)
        case .undoFault(let fault, let connector): undoFault(fault, connector: connector)
        case .heartbeat(let number, let soft):
            // Calls that it was wanted of are over.
            _ = stackRequest.take()
            host.engine.lookAtCalls(that: soft)
            do throws(JSError) {
                try host.takeTurn()
                tell(.heartbeat(number))
            } catch {
                tell(.console(.error, "heartbeat \(number): \(error)"))
            }
        case .collect: host.engine.collectNow()
        case .stop: break
        }
    }

    func outcome(_ result: Result<String, CoreError>) -> CallOutcome {
        switch result {
        case .success(let json): .returned(json)
        case .failure(let error): .rejected(exception: error.exceptionJSON ?? plainException(error))
        }
    }

    private func plainException(_ error: CoreError) -> String {
        guard let host else { return "{}" }
        let object = host.engine.makeObject()
        object.set("message", host.engine.string(error.reason))
        return object.json ?? "{}"
    }

    /// What nobody waits for: a failure is a line in the log.
    func attempt(_ what: String, _ body: (CoreHost) throws(CoreError) -> Void) {
        guard let host else { return }
        do throws(CoreError) {
            try body(host)
        } catch {
            tell(.console(.error, "\(what): \(error)"))
        }
    }

    // MARK: Ports of the core

    /// The core wants a component started. The promise is settled when the supervision plane knows how that went.
    func startDenoComponent(connectorId: String, id: ComponentID) throws -> JSValue {
        guard let headless else { throw RuntimeException.notImplemented(port: "js_startComponent") }
        return try headless.start(connectorId: connectorId, id: id)
    }

    func protocolError(connectorId: String, _ message: String) {
        headless?.protocolError(connectorId: connectorId, message)
    }

    func queuedBytes(connectorId: String) -> Int { headless?.queuedBytes(connectorId: connectorId) ?? 0 }

    func close(connectorId: String) {
        if let page = pages?[connectorId] {
            page.closeActivity()
        } else {
            tell(.closeRequested(connector: connectorId))
        }
    }

    /// At once, so that the supervision plane knows a component before it hears of its start.
    func catalogChanged() {
        attempt("listing the components") { host throws(CoreError) in
            tell(.catalogChanged(try host.listComponents()))
        }
    }

    func report(_ event: UserInterfaceEvent) { tell(.userInterface(event)) }

    private func console(_ level: ConsoleLevel, _ text: String) {
        switch level {
        case .debug: tell(.console(.debug, text))
        case .info, .log: tell(.console(.info, text))
        case .warn: tell(.console(.warning, text))
        case .error: tell(.console(.error, text))
        }
    }

    // MARK: The plane's end

    /// Waits for no call into the core.
    private func stop() {
        isStopped = true
        headless?.close()
        connectivity?.close()
        sleep?.close()
        natives?.close()
        host?.engine.close()
        host = nil
        tell(.stopped)
    }
}

/// Milliseconds per boot step.
private struct StepClock {
    private let loop: Loop
    private var last: UInt64
    /// The step under way, for the error that ends it.
    var step = "context"

    init(_ loop: Loop) {
        self.loop = loop
        last = loop.now
    }

    mutating func lap() -> Double {
        let now = loop.now
        defer { last = now }
        return Double(now - last) / 1e6
    }
}
