internal import JSEngine
internal import PortBridge
internal import Wire

/// The port `ipc_listCoreObjPath`: calls under way, matched with their replies by number.
final class ListCalls {
    static let pendingLimit = 1024
    static let depthLimit = 32
    static let nameLimit = 1024

    private let engine: JSEngineHost
    private let pipe: DataPipe
    private var pending: [UInt32: JSPromise] = [:]
    private var lastCall: UInt32 = 0
    private var isClosed = false

    init(on engine: JSEngineHost, over pipe: DataPipe) {
        self.engine = engine
        self.pipe = pipe
        engine.registerPort(ComponentPorts.listCoreObjPath) { [unowned self] arguments in try call(arguments) }
    }

    private func call(_ arguments: PortArguments) throws -> JSValue {
        let path = try arguments.texts(0)
        guard path.count <= Self.depthLimit else {
            throw arguments.bad(0, "must have at most \(Self.depthLimit) names, not \(path.count)")
        }
        if let long = path.first(where: { $0.utf8.count > Self.nameLimit }) {
            throw arguments.bad(0, "has a name of \(long.utf8.count) bytes, the most is \(Self.nameLimit)")
        }
        guard !isClosed, !pipe.isClosed else { throw Self.notConnected }
        guard pending.count < Self.pendingLimit else {
            throw RuntimeException.badArgument(
                port: arguments.signature.name, "\(pending.count) calls wait for the core; wait for some of them")
        }
        lastCall &+= 1
        let promise = engine.makePromise()
        pending[lastCall] = promise
        pipe.send(.listRequest, ListRequest(call: lastCall, path: path).encoded())
        return promise.value
    }

    /// False when nobody waits for this reply.
    func settle(_ reply: ListReply) -> Bool {
        guard let promise = pending.removeValue(forKey: reply.call) else { return false }
        promise.resolve { engine in
            reply.names.map { names in engine.array(names, engine.string) } ?? engine.null
        }
        return true
    }

    /// Rejects what waits, and every later call.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        let waiting = pending
        pending = [:]
        for (_, promise) in waiting.sorted(by: { $0.key < $1.key }) { promise.reject(Self.notConnected) }
    }

    private static var notConnected: RuntimeException {
        RuntimeException(type: "ipc", ["ipcNotConnected": .flag(true)])
    }
}
