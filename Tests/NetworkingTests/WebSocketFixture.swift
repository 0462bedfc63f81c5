import CoreHosting
import EventLoop
import Foundation
import JSEngine
import Networking
import TestSupport
import Testing

/// A context with the port `ws_open`, and in JavaScript:
///
/// - `open(url, sessionId, pingMillis)`: the port's reply, with `texts` and `events` that grow, `send(text)`,
///   `close(code, reason)`, `text(n)` and `event(type)`, promises of the n-th text and of the first such event.
/// - `failure(promise)`: what it is rejected with.
func withWebSockets<Value: Sendable>(
    authority: String? = nil, _ body: @escaping @Sendable (JSEngineHost, WebSocketInjectedFns) throws -> Value
) throws -> Value {
    try withEngine { engine, log in
        let session = NetworkSession(
            loop: engine.loop, userAgent: "tests/1",
            authorities: try authority.map { try CertificateAuthorities(path: $0) })
        let sockets = WebSocketInjectedFns(session: session)
        sockets.registerAll(on: engine)
        engine.provideScripts { name in try script(name) }
        try engine.evaluate(try script("common-preload.js"), sourceName: "js/common-preload.js")
        try engine.evaluate("globalThis.__platformParts = {};", sourceName: "fixture.js")
        try engine.evaluate(try script("core-events.js"), sourceName: "js/core-events.js")
        try engine.evaluate(fixture, sourceName: "ws-fixture.js")
        defer {
            sockets.close()
            session.close()
            // Descriptors go at the end of the turn, and this loop may have no other for long.
            engine.loop.runOnce(waiting: false)
        }
        let value = try body(engine, sockets)
        #expect(log.uncaught.map { "\($0.kind): \($0.error)" } == [])
        return value
    }
}

/// JSON of what `script`, the body of an async function, returns; no socket is left open by it.
func onWebSockets(authority: String? = nil, _ script: String) throws -> String {
    try withWebSockets(authority: authority) { engine, sockets in
        let result = try engine.settle("(async () => { \(script) })()")
        #expect(sockets.open == 0)
        return result
    }
}

private func script(_ name: String) throws -> String {
    try String(contentsOfFile: "\(RunningSupervisor.resources)/js/\(name)", encoding: .utf8)
}

private let fixture = """
    const { openEventSource } = __platformParts;
    async function open(url, sessionId, pingMillis) {
        const reply = await __nativeCallDispatch('ws_open', [url, sessionId, pingMillis]);
        if (reply.socketId === undefined) { return reply; }
        const port = `ws_#${reply.socketId}`;
        const [texts, events, waiting, first] = [[], [], [], {}];
        const happened = () => { for (const look of [...waiting]) { look(); } };
        globalThis[`__portRecv_${port}`] = bytes => { texts.push(new TextDecoder().decode(bytes)); happened(); };
        globalThis[`__portEvent_${port}`] = event => { events.push(event); first[event.type] ??= event; happened(); };
        const when = find => new Promise(resolve => {
            const look = () => {
                const found = find();
                if (found === undefined) { return; }
                waiting.splice(waiting.indexOf(look), 1);
                resolve(found);
            };
            waiting.push(look);
            look();
        });
        return {
            ...reply, texts, events,
            send: text => globalThis[`__portSend_${port}`](new TextEncoder().encode(text)),
            close: (...args) => globalThis[`__portClose_${port}`](...args),
            text: n => when(() => texts[n]),
            event: type => when(() => first[type]),
        };
    }
    const failure = promise => promise.then(reply => ({ reply }), exception => exception);
    const thrown = body => { try { return { gave: body() }; } catch (exception) { return exception; } };
    const sleep = millis => new Promise(done => setTimeout(done, millis));
    /** All that an event source tells, until it ends. */
    const watched = ({ comm, watch }) => new Promise(done => {
        const seen = { messages: [], statuses: [] };
        watch({ next: status => seen.statuses.push(status) });
        comm.subscribe({
            next: message => seen.messages.push(message),
            complete: () => done({ ...seen, end: 'complete' }),
            error: exception => done({ ...seen, end: exception }),
        });
    });
    """

/// A server that speaks frame by frame.
func rawWebSocketServer(_ serve: @escaping @Sendable (RawWebSocket) -> Void) throws -> RawServer {
    try RawServer { connection in
        if let socket = RawWebSocket(connection) { serve(socket) }
    }
}
