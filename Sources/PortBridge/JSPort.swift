internal import Glibc
public import JSEngine
public import Wire

/// A binary message port of a context: JavaScript sends with `__portSend_<name>(bytes)` and receives in
/// `__portRecv_<name>(bytes)`, which it sets. Every message is one envelope, opaque here.
public final class JSPort {
    public let name: String
    private let engine: JSEngineHost
    private let pipe: DataPipe
    private let sendName: String
    private let receiveName: JSName
    private var isClosed = false
    /// Messages that came while JavaScript had no receiver.
    public private(set) var dropped = 0

    /// Installs `__portSend_<name>`, which gives false while the pipe's queue is above its high-water mark.
    public init(name: String, on engine: JSEngineHost, over pipe: DataPipe) {
        self.name = name
        self.engine = engine
        self.pipe = pipe
        sendName = "__portSend_\(name)"
        receiveName = JSName("__portRecv_\(name)")
        engine.global.set(
            sendName,
            engine.makeFunction { [weak self] arguments in
                guard let self, !isClosed, !pipe.isClosed else {
                    throw RuntimeException(type: "ipc", ["ipcNotConnected": .flag(true)])
                }
                return engine.boolean(try send(arguments[0]))
            })
    }

    private func send(_ message: JSValue) throws -> Bool {
        guard let bytes = message.bytes else {
            throw RuntimeException.badArgument(port: sendName, "a message is a Uint8Array")
        }
        guard pipe.queuedBytes + bytes.count <= DataPipe.queueLimit else {
            throw RuntimeException(
                type: "ipc",
                [
                    "queueFull": .flag(true),
                    "message": .text(
                        "\(pipe.queuedBytes) bytes wait to be read by the other side; \(bytes.count) more are over the"
                            + " limit of \(DataPipe.queueLimit)"),
                ])
        }
        pipe.send(envelope: message, bytes: bytes)
        return pipe.queuedBytes < DataPipe.highWater
    }

    /// Hands one message to JavaScript.
    public func deliver(_ body: consuming FrameBody) {
        let receiver = engine.global[receiveName]
        guard !isClosed, receiver.isFunction else {
            dropped += 1
            return
        }
        let bytes = body.take()
        engine.perform(receiver, [engine.bytes(takingOwnershipOf: bytes.baseAddress, count: bytes.count)])
    }

    /// From now on JavaScript's sends throw `ipcNotConnected`, and what arrives is dropped. The pipe stays.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        engine.global.delete("__portSend_\(name)")
        engine.global.delete("__portRecv_\(name)")
    }
}
