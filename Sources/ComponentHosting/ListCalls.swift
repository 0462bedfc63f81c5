internal import JSEngine
internal import PortBridge
internal import Wire

/// The port `ipc_listCoreObjPath`: calls under way, matched with their replies by number.
final class ListCalls {
    static let portName = "ipc_listCoreObjPath"
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
        engine.registerPort(Self.portName) { [unowned self] arguments in try call(arguments[0]) }
    }

    private func call(_ argument: JSValue) throws -> JSValue {
        let path = try Self.path(argument)
        guard !isClosed, !pipe.isClosed else { throw Self.notConnected }
        guard pending.count < Self.pendingLimit else {
            throw RuntimeException.badArgument(
                port: Self.portName, "\(pending.count) calls wait for the core; wait for some of them")
        }
        lastCall &+= 1
        let promise = engine.makePromise()
        pending[lastCall] = promise
        pipe.send(.listRequest, ListRequest(call: lastCall, path: path).encoded())
        return promise.value
    }

    private static func path(_ argument: JSValue) throws -> [String] {
        guard argument.isObject, let count = argument["length"].integer, count >= 0, count <= depthLimit else {
            throw RuntimeException.badArgument(
                port: portName, "a path is an array of at most \(depthLimit) strings")
        }
        return try (0..<count).map { index in
            guard let name = argument[index].string, name.utf8.count <= nameLimit else {
                throw RuntimeException.badArgument(
                    port: portName, "element \(index) of the path is no string of at most \(nameLimit) bytes")
            }
            return name
        }
    }

    /// False when nobody waits for this reply.
    func settle(_ reply: ListReply) -> Bool {
        guard let promise = pending.removeValue(forKey: reply.call) else { return false }
        promise.resolve { engine in
            reply.names.map { names in engine.array(names.map(engine.string)) } ?? engine.null
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
