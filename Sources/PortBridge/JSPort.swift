internal import EventLoop
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
    /// Made for the first message: many components never get one while they start.
    private var receive: JSReference?
    private var isClosed = false
    /// Messages that came while JavaScript had no receiver.
    public private(set) var dropped = 0

    /// Installs `__portSend_<name>`, which gives false while the pipe's queue is above its high-water mark.
    public init(name: String, on engine: JSEngineHost, over pipe: DataPipe) {
        self.name = name
        self.engine = engine
        self.pipe = pipe
        sendName = "__portSend_\(name)"
        engine.global.set(
            sendName,
            engine.makeFunction { [weak self, unowned engine] arguments in
                guard let self else { throw Self.notConnected }
                return engine.boolean(try send(arguments[0]))
            })
    }

    private static var notConnected: RuntimeException {
        RuntimeException(type: "ipc", ["ipcNotConnected": .flag(true)])
    }

    private func send(_ message: JSValue) throws -> Bool {
        guard !isClosed, !pipe.isClosed else { throw Self.notConnected }
        guard let bytes = message.bytes else {
            throw RuntimeException.badArgument(port: sendName, "a message is a Uint8Array")
        }
        // What is not copied must stay.
        if bytes.count >= OutputQueue.copyBelow, engine.isResizable(message) {
            throw RuntimeException.badArgument(
                port: sendName, "a message is over no buffer that can be resized; give a copy (`.slice()`)")
        }
        guard bytes.count <= pipe.limit else {
            throw RuntimeException(
                type: "ipc",
                [
                    "messageTooBig": .flag(true),
                    "message": .text(
                        "a message of \(bytes.count) bytes is over the limit of \(pipe.limit); send less at once"),
                ])
        }
        guard pipe.queuedBytes + bytes.count <= pipe.queue.limit else {
            throw RuntimeException(
                type: "ipc",
                [
                    "queueFull": .flag(true),
                    "message": .text(
                        "\(pipe.queuedBytes) bytes wait to be read by the other side; \(bytes.count) more are over the"
                            + " limit of \(pipe.queue.limit)"),
                ])
        }
        pipe.send(envelope: message, bytes: bytes)
        return pipe.queuedBytes < pipe.queue.highWater
    }

    /// `bytes => true`, or false where JavaScript has no receiver. Looking that up in JavaScript, where the engine
    /// remembers the place, spares two of four entries into the engine per message.
    private func makeReceive() -> JSReference {
        let script = """
            (root, name) => bytes => {
                const receive = root[name];
                if (typeof receive !== 'function') { return false; }
                receive(bytes);
                return true;
            }
            """
        do {
            let make = try engine.evaluate(script, sourceName: "port \(name)")
            return JSReference(try engine.call(make, [engine.global, engine.string("__portRecv_\(name)")]))
        } catch {
            preconditionFailure("\(engine.label): \(error)")
        }
    }

    /// Hands one message to JavaScript.
    public func deliver(_ body: consuming FrameBody) {
        guard !isClosed else {
            dropped += 1
            return
        }
        let receive = self.receive ?? makeReceive()
        self.receive = receive
        let bytes = body.take()
        let message = engine.bytes(takingOwnershipOf: bytes.baseAddress, count: bytes.count)
        if engine.perform(receive.value, [message])?.boolean == false { dropped += 1 }
    }

    /// From now on JavaScript's sends throw `ipcNotConnected`, and what arrives is dropped. The pipe stays.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        receive = nil
        engine.global.delete("__portSend_\(name)")
        engine.global.delete("__portRecv_\(name)")
    }
}
