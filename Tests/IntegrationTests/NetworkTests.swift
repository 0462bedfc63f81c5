import Control
import TestSupport
import Testing

/// The network as the core of a whole supervisor has it.
@Suite struct NetworkTests {
    @Test func requestsGoToServersOfAPrivateAuthority() throws {
        let certificates = try Certificates()
        let nginx = try Nginx([(try certificates.server(), "return 200 '{\"a\": 1}';")])
        let url = nginx.url("/", isSecure: true)
        let ask = """
            const [status, body] = await __nativeCallDispatch('http_request', ['GET', '\(url)', 'json'])
                .then(r => [r.status, r.body.a], e => [e.type, e.reason]);
            return `${status} ${body}`;
            """
        let probe = try CoreProbe()
        let trusting = try RunningSupervisor(
            apps: [:], resources: probe.path, options: ["--ca-file", certificates.authority])
        #expect(try trusting.evaluate(ask) == .string("200 1"))
        let other = try RunningSupervisor(apps: [:], resources: probe.path)
        #expect(try other.evaluate(ask) == .string("connect certificate-unknownAuthority"))
    }

    @Test func aShutdownDoesNotWaitForServers() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.waitForEnd()
        }
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(apps: [:], resources: probe.path)
        let call = "__nativeCallDispatch('http_request', ['GET', '\(server.url())']).catch(() => {}); return 'asked';"
        #expect(try supervisor.evaluate(call) == .string("asked"))
        let (code, lines) = try supervisor.corehost("shutdown", "--timeout", "4s")
        #expect(code == 0, "\(lines)")
        #expect(try supervisor.program.waitForExit() == 0)
    }
}
