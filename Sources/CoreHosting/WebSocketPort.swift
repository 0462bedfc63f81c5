internal import JSEngine
internal import Networking

/// JavaScript's end of an open WebSocket, the port `ws_#<socketId>`:
///
/// | member of the global object | set by | what |
/// |---|---|---|
/// | `__portSend_<name>(bytes)` | native | sends a text; `false` while more than 64 KiB wait to leave |
/// | `__portClose_<name>(code?, reason?)` | native | starts the closing handshake, 1000 by default |
/// | `__portRecv_<name>` | JavaScript | called with the bytes of each text |
/// | `__portEvent_<name>` | JavaScript | called with `{type, …}` for everything else |
///
/// After the event `closed` all four are gone.
final class WebSocketPort {
    private let name: String
    private let socket: WebSocket
    private let engine: JSEngineHost
    private let ended: () -> Void
    private let receiveName: JSName
    private let eventName: JSName
    private var sendName: String { "__portSend_\(name)" }
    private var closeName: String { "__portClose_\(name)" }

    init(_ name: String, _ socket: WebSocket, on engine: JSEngineHost, ended: @escaping () -> Void) {
        self.name = name
        self.socket = socket
        self.engine = engine
        self.ended = ended
        receiveName = JSName("__portRecv_\(name)")
        eventName = JSName("__portEvent_\(name)")
        engine.global.set(
            sendName,
            engine.makeFunction { [weak self] arguments in
                guard let self, self.socket.isOpen else { throw Self.closed }
                return self.engine.boolean(try send(arguments[0]))
            })
        engine.global.set(
            closeName,
            engine.makeFunction { [weak self] arguments in
                try self?.close(arguments[0], arguments[1])
                return nil
            })
        socket.start { [weak self] in self?.happened($0) }
    }

    private static let closed = RuntimeException(
        type: "websocket", ["socketClosed": .flag(true), "message": .text("the WebSocket is closed; open another one")])

    private func send(_ message: JSValue) throws -> Bool {
        guard let bytes = message.bytes, WebSocket.isText(bytes) else {
            throw RuntimeException.badArgument(port: sendName, "a message is a Uint8Array with a text in UTF-8")
        }
        guard bytes.count <= WebSocketRequest.messageLimit else {
            throw RuntimeException(
                type: "websocket",
                [
                    "messageTooBig": .flag(true),
                    "message": .text(
                        "a message of \(bytes.count) bytes is over the limit of \(WebSocketRequest.messageLimit); "
                            + "send less at once"),
                ])
        }
        guard socket.queuedBytes + bytes.count <= WebSocket.queueLimit else {
            throw RuntimeException(
                type: "websocket",
                [
                    "socketSlow": .flag(true),
                    "message": .text(
                        "\(socket.queuedBytes) bytes wait for the server to read; \(bytes.count) more are over the limit "
                            + "of \(WebSocket.queueLimit)"),
                ])
        }
        return socket.send(text: bytes)
    }

    private func close(_ code: JSValue, _ reason: JSValue) throws {
        let number = code.isUndefined ? WebSocketCode.normal : code.integer ?? 0
        let text = reason.isUndefined ? "" : reason.string
        guard WebSocketCode.isSendable(number), let text, text.utf8.count <= WebSocketCode.longestReason else {
            throw RuntimeException.badArgument(
                port: closeName,
                "the code is one of 1000 to 1003, 1007 to 1014, 3000 to 4999, the reason a string of at most "
                    + "\(WebSocketCode.longestReason) bytes")
        }
        socket.close(code: number, reason: text)
    }

    // MARK: Events

    private func happened(_ event: WebSocketEvent) {
        switch event {
        case .text(let text): engine.perform(engine.global[receiveName], [engine.bytes(copying: text)])
        case .ping: tell("ping")
        case .pong(let after): tell("pong", ("millis", after / .milliseconds(1)))
        case .missedPongs(let missed): tell("missed-pong", ("missed", Double(missed)))
        case .drained: tell("drained")
        case .ended(let end): closed(end)
        }
    }

    private func tell(_ type: String, _ figure: (name: String, value: Double)? = nil) {
        let event = engine.makeObject()
        event.set("type", engine.string(type))
        if let figure { event.set(figure.name, engine.number(figure.value)) }
        engine.perform(engine.global[eventName], [event])
    }

    private func closed(_ end: WebSocketEnd) {
        let event = engine.makeObject()
        event.set("type", engine.string("closed"))
        event.set("code", engine.number(Double(end.code)))
        event.set("reason", engine.string(end.reason))
        if let problem = end.problem { event.set("problem", engine.string(problem)) }
        let handler = engine.global[eventName]
        for name in [sendName, closeName, "__portRecv_\(name)", "__portEvent_\(name)"] { engine.global.delete(name) }
        ended()
        engine.perform(handler, [event])
    }
}
