import Control
import Glibc
import TestSupport
import Testing

/// Sockets that the core holds when it ends.
@Suite struct WebSocketEndTests {
    /// A supervisor whose core holds two open sockets, and a handshake that is never answered.
    private func start(_ probe: CoreProbe, _ server: RawServer, _ mute: RawServer) throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("idle.test", ["idle.mjs": ""]), resources: probe.path)
        let script = """
            const open = url => __nativeCallDispatch('ws_open', [url]);
            open('\(mute.url(scheme: "ws"))');
            const both = await Promise.all([open('\(server.url(scheme: "ws"))'), open('\(server.url(scheme: "ws"))')]);
            return both.map(reply => reply.status);
            """
        #expect(try supervisor.evaluate(script) == [101, 101])
        return supervisor
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func everyServerSeesTheEnd(signal: Int32) throws {
        let seen = EventList()
        let server = try RawServer { connection in
            guard let socket = RawWebSocket(connection) else { return }
            let close = socket.read(RawWebSocket.close)
            if close != nil { connection.waitForEnd() }
            seen.add("end \(close?.code ?? 0)")
        }
        let mute = try RawServer { $0.waitForEnd() }
        let probe = try CoreProbe()
        let supervisor = try start(probe, server, mute)
        if signal == SIGTERM {
            #expect(try supervisor.end() == 0)
        } else {
            supervisor.program.signal(signal)
            _ = try supervisor.program.waitForExit()
        }
        #expect(seen.wait(for: "end"))
        let code = signal == SIGTERM ? 1001 : 0
        try supervisor.wait(for: "both ends") { seen.all == ["end \(code)", "end \(code)"] }
    }
}
