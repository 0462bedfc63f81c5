internal import EventLoop
internal import JSEngine
internal import PortBridge
internal import Supervision

/// Headless components as the core plane has them: starts under way, and ports.
final class HeadlessComponents {
    private let host: CoreHost
    private let frameLimit: UInt32
    private let tell: (CoreEvent) -> Void
    private var starts: [String: (id: ComponentID, promise: JSPromise)] = [:]
    private var ports: [String: CorePort] = [:]
    private var changed: Set<String> = []
    private let trafficTimer: Timer
    private var isClosed = false

    init(host: CoreHost, frameLimit: UInt32, tell: @escaping (CoreEvent) -> Void) {
        self.host = host
        self.frameLimit = frameLimit
        self.tell = tell
        trafficTimer = Timer(on: host.engine.loop)
        trafficTimer.unreference()
    }

    // MARK: A start

    /// The core wants a component started. The promise is settled when the supervision plane knows how that went.
    func start(connectorId: String, id: ComponentID) throws -> JSValue {
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
    func prepare(_ connector: String, _ generation: UInt64, _ queue: QueuePolicy) {
        guard let start = starts[connector] else { return }
        CodeReader(host: host, connectorId: connector, path: start.id.entrypoint).read { [unowned self] result in
            // Closed meanwhile: nobody waits for the code any more.
            guard !isClosed, starts[connector] != nil, ports[connector] == nil else { return }
            switch result {
            case .failure(let refusal): tell(.prepareFailed(connector: connector, refusal.fault))
            case .success(let code): open(connector, generation, queue, code)
            }
        }
    }

    private func open(_ connector: String, _ generation: UInt64, _ queue: QueuePolicy, _ code: [UInt8]) {
        guard let start = starts[connector] else { return }
        let port = CorePort(
            connectorId: connector, generation: generation, frameLimit: frameLimit, queue: queue, host: host,
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

    func settleStart(_ connector: String, _ outcome: StartOutcome) {
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

    func childExited(_ connector: String, cause: String) {
        if let port = ports[connector] { port.drain() } else { end(connector, cause: cause) }
    }

    func end(_ connector: String, cause: String) {
        if let port = ports[connector] {
            port.close(cause: cause)
            return
        }
        do throws(CoreError) {
            try host.componentClosed(connectorId: connector, cause: cause)
        } catch {
            tell(.console(.error, "closing connector \(connector): \(error)"))
        }
        tell(.portClosed(connector: connector, .byPlatform, PortTraffic()))
    }

    private func ended(_ connector: String, _ end: PortEnd) {
        var traffic = ports[connector]?.traffic ?? PortTraffic()
        traffic.lastFrames = ports[connector]?.lastFrames ?? []
        changed.remove(connector)
        tell(.portClosed(connector: connector, end, traffic))
    }

    func protocolError(connectorId: String, _ message: String) { ports[connectorId]?.violated(message) }

    func queuedBytes(connectorId: String) -> Int { ports[connectorId]?.queuedBytes ?? 0 }

    /// - Returns: why not, in words; nil: it is in force.
    func inject(_ fault: PortFault, _ connector: String) -> String? {
        ports[connector].map { $0.inject(fault) } ?? "it has no port"
    }

    func undoFault(_ number: Int, _ connector: String) { ports[connector]?.undoFault(number) }

    private func trafficChanged(_ connector: String) {
        if changed.isEmpty {
            trafficTimer.start(afterMilliseconds: 100) { [unowned self] in
                let news = changed.compactMap { id in figures(id).map { (id, $0) } }
                changed = []
                tell(.traffic(Dictionary(uniqueKeysWithValues: news)))
            }
        }
        changed.insert(connector)
    }

    /// What crossed a port, looked at now; nil where there is none.
    func figures(_ connector: String) -> PortTraffic? {
        guard let port = ports[connector] else { return nil }
        port.lookAtReading()
        var traffic = port.traffic
        traffic.openCalls = host.openCalls(connectorId: connector)
        return traffic
    }

    func close() {
        isClosed = true
        trafficTimer.close()
        for port in ports.values { port.abandon() }
        ports = [:]
        starts = [:]
    }
}
