internal import Cryptography
internal import EventLoop
internal import Glibc
internal import JSEngine
internal import Networking
internal import PlatformScripts
internal import Supervision

/// The core plane at work: boots the core, starts components at the core's wish, and does what the supervision plane
/// asks. Lives on the core's thread.
final class CoreSession {
    private let loop: Loop
    private let stackRequest: StackRequest
    private let tell: (CoreEvent) -> Void
    private let places: CorePlaces
    private var host: CoreHost?
    private var natives: CoreNatives?
    private var connectivity: ConnectivityMonitor?
    private var sleep: SleepMonitor?
    private var starts: [String: (id: ComponentID, promise: JSPromise)] = [:]
    private var ports: [String: CorePort] = [:]
    private var changed: Set<String> = []
    private let trafficTimer: Timer
    private(set) var isStopped = false

    init(places: CorePlaces, loop: Loop, _ stackRequest: StackRequest, tell: @escaping (CoreEvent) -> Void) {
        self.stackRequest = stackRequest
        self.places = places
        self.loop = loop
        self.tell = tell
        trafficTimer = Timer(on: loop)
        trafficTimer.unreference()
    }

    // MARK: Boot

    /// The boot sequence up to a signed-in user. Each step is told with its duration; a step that fails names itself.
    func start() {
        var clock = StepClock(loop)
        do {
            let connectivity = ConnectivityMonitor(on: loop) { [unowned self] in connectivityChanged(isOnline: $0) }
            self.connectivity = connectivity
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
            host = CoreHost(engine: engine)
            let scripts = PlatformScripts(folder: places.resources, bundles: places.bundles)
            engine.provideScripts { try scripts.text("js/\($0)") }
            tell(.bootStep("context", milliseconds: clock.lap()))
            clock.step = "network"
            let network = NetworkSession(
                loop: loop, userAgent: "corehost/\(platformVersion)",
                authorities: try places.authorities.map { try CertificateAuthorities(path: $0) })
            tell(.bootStep("network", milliseconds: clock.lap()))
            clock.step = "ports"
            try registerPorts(on: engine, connectivity, network)
            tell(.bootStep("ports", milliseconds: clock.lap()))
            clock.step = "core/bundle.json"
            for name in try Self.scripts(scripts, engine) {
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

    /// Scripts of the core's context, in the order of the boot sequence.
    private static func scripts(_ scripts: PlatformScripts, _ engine: JSEngineHost) throws -> [String] {
        ["js/common-preload.js", "js/device-fs.js"] + (try scripts.files(of: .core, with: engine))
            + [
                "js/app-code.js", "js/app-requests.js", "js/app-manifests.js", "js/app-packs.js", "js/apps.js",
                "js/rpc-connection.js", "js/rpc-broker.js", "js/start-commands.js", "js/fs-resources.js",
                "js/notifications.js", "js/shell-cap.js", "js/system-cap.js", "js/platform-caps.js",
                "js/core-cryptor.js", "js/core-net.js", "js/core-events.js", "js/core-load.js",
            ]
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
        host.initCore(dohResolvers: places.dohResolvers, systemApps: places.systemApps) { [unowned self] result in
            guard !isStopped else { return }
            switch result {
            case .failure(let error):
                tell(.bootFailed(step: error.isOfBundle ? "bundle/core" : "init", reason: "\(error)"))
            case .success:
                tell(.bootStep("init", milliseconds: clock.lap()))
                host.waitForSignedInUser { [unowned self] result in signedIn(result, clock) }
            }
        }
    }

    private func signedIn(_ result: Result<String, CoreError>, _ clock: StepClock) {
        guard !isStopped, let host else { return }
        var clock = clock
        do {
            let userId = try result.get()
            let catalog = try host.listComponents()
            watchSleep()
            tell(.bootStep("sign-in", milliseconds: clock.lap()))
            tell(.booted(catalog, userId: userId, ports: host.engine.portNames))
        } catch {
            tell(.bootFailed(step: "sign-in", reason: "\(error)"))
        }
    }

    // MARK: News of the machine

    private func connectivityChanged(isOnline: Bool) {
        do throws(CoreError) {
            try host?.connectivityChanged(isOnline: isOnline)
        } catch {
            tell(.console(.error, "telling the core of the network: \(error)"))
        }
    }

    /// From sign-in on: before that there is no core that could store anything.
    private func watchSleep() {
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
        guard let host else { return }
        switch request {
        case .launch(let id):
            do throws(CoreError) {
                try host.launchApp(id)
            } catch {
                tell(.launchFailed(id, "\(error)"))
            }
        case .prepare(let connector, let generation): prepare(connector, generation)
        case .settleStart(let connector, let outcome): settleStart(connector, outcome)
        case .closePort(let connector, let cause): end(connector, cause: cause)
        case .childExited(let connector, let cause):
            if let port = ports[connector] { port.drain() } else { end(connector, cause: cause) }
        case .call(let number, let call):
            host.callService(number, call) { [unowned self] result in
                switch result {
                case .success(let json): tell(.called(number: number, .returned(json)))
                case .failure(let error):
                    let exception = error.exceptionJSON ?? plainException(error)
                    tell(.called(number: number, .rejected(exception: exception)))
                }
            }
        case .abandonCall(let number):
            do throws(CoreError) {
                try host.abandonCall(number)
            } catch {
                tell(.console(.error, "abandoning a call: \(error)"))
            }
        case .heartbeat(let number):
            do throws(JSError) {
                try host.takeTurn()
                tell(.heartbeat(number))
            } catch {
                tell(.console(.error, "heartbeat \(number): \(error)"))
            }
        case .stop: break
        }
    }

    private func plainException(_ error: CoreError) -> String {
        guard let host else { return "{}" }
        let object = host.engine.makeObject()
        object.set("message", host.engine.string(error.reason))
        return object.json ?? "{}"
    }

    // MARK: Starting a headless component

    /// The core wants a component started. The promise is settled when the supervision plane knows how that went.
    func startDenoComponent(connectorId: String, id: ComponentID) throws -> JSValue {
        guard let host else { throw RuntimeException.notImplemented(port: "js_startComponent") }
        guard starts[connectorId] == nil, ports[connectorId] == nil else {
            throw RuntimeException.badArgument(
                port: "js_startComponent", "connector \(connectorId) was started already; a start needs a new one")
        }
        let promise = host.engine.makePromise()
        starts[connectorId] = (id, promise)
        tell(.startRequested(connector: connectorId, id))
        return promise.value
    }

    /// Checks and reads the entry file, makes and attaches the port.
    private func prepare(_ connector: String, _ generation: UInt64) {
        guard let host, let start = starts[connector] else { return }
        CodeReader(host: host, connectorId: connector, path: start.id.entrypoint).read { [unowned self] result in
            // Closed meanwhile: nobody waits for the code any more.
            guard !isStopped, starts[connector] != nil, ports[connector] == nil else { return }
            switch result {
            case .failure(let refusal): tell(.prepareFailed(connector: connector, refusal.fault))
            case .success(let code): open(connector, generation, code)
            }
        }
    }

    private func open(_ connector: String, _ generation: UInt64, _ code: [UInt8]) {
        guard let host, let start = starts[connector] else { return }
        let port = CorePort(
            connectorId: connector, generation: generation, frameLimit: places.frameLimit, host: host,
            changed: { [unowned self] in trafficChanged(connector) },
            ended: { [unowned self] end in ended(connector, end) },
            gone: { [unowned self] in ports[connector] = nil })
        do {
            let descriptor = try port.open()
            ports[connector] = port
            tell(.prepared(connector: connector, PreparedChild(code: code, dataDescriptor: descriptor)))
        } catch {
            tell(.prepareFailed(connector: connector, .unreadable(path: start.id.entrypoint, "\(error)")))
        }
    }

    private func settleStart(_ connector: String, _ outcome: StartOutcome) {
        guard let start = starts.removeValue(forKey: connector) else { return }
        let failed: (String, String) -> RuntimeException = { flag, message in
            RuntimeException(
                type: "component",
                [
                    "componentId": .text("\(start.id)"), flag: .flag(true),
                    "message": .text("\(start.id): \(message)"),
                ])
        }
        switch outcome {
        case .ready: start.promise.resolve { $0.undefined }
        case .refused(.waiting): start.promise.reject(failed("waiting", "a start is due anyway"))
        case .refused(.quarantined):
            start.promise.reject(failed("quarantined", "has failed; `corehost start \(start.id)` tries it again"))
        case .refused(.stopped):
            start.promise.reject(failed("stopped", "was stopped; `corehost start \(start.id)` starts it"))
        case .refused(.alreadyStarted): start.promise.reject(failed("alreadyStarted", "has another connector"))
        case .failed(let reason): start.promise.reject(failed("startFailed", reason))
        }
    }

    // MARK: The end of a connector

    private func end(_ connector: String, cause: String) {
        if let port = ports[connector] {
            port.close(cause: cause)
            return
        }
        do {
            try host?.componentClosed(connectorId: connector, cause: cause)
        } catch {
            tell(.console(.error, "closing connector \(connector): \(error)"))
        }
        tell(.portClosed(connector: connector, .byPlatform, PortTraffic()))
    }

    private func ended(_ connector: String, _ end: PortEnd) {
        let traffic = ports[connector]?.traffic ?? PortTraffic()
        changed.remove(connector)
        tell(.portClosed(connector: connector, end, traffic))
    }

    func protocolError(connectorId: String, _ message: String) { ports[connectorId]?.violated(message) }

    func queuedBytes(connectorId: String) -> Int { ports[connectorId]?.queuedBytes ?? 0 }

    func close(connectorId: String) { tell(.closeRequested(connector: connectorId)) }

    /// At once, so that the supervision plane knows a component before it hears of its start.
    func catalogChanged() {
        do throws(CoreError) {
            if let host { tell(.catalogChanged(try host.listComponents())) }
        } catch {
            tell(.console(.error, "listing the components: \(error)"))
        }
    }

    func report(_ event: UserInterfaceEvent) { tell(.userInterface(event)) }

    private func trafficChanged(_ connector: String) {
        if changed.isEmpty {
            trafficTimer.start(afterMilliseconds: 100) { [unowned self] in
                let figures = changed.compactMap { id in ports[id].map { (id, $0.traffic) } }
                changed = []
                tell(.traffic(Dictionary(uniqueKeysWithValues: figures)))
            }
        }
        changed.insert(connector)
    }

    private func console(_ level: ConsoleLevel, _ text: String) {
        switch level {
        case .debug: tell(.console(.debug, text))
        case .info, .log: tell(.console(.info, text))
        case .warn: tell(.console(.warning, text))
        case .error: tell(.console(.error, text))
        }
    }

    // MARK: The plane's end

    private func stop() {
        isStopped = true
        trafficTimer.close()
        connectivity?.close()
        sleep?.close()
        for port in ports.values { port.abandon() }
        ports = [:]
        starts = [:]
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
