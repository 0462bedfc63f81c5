import CoreHosting
import JSEngine
import Networking
import TestSupport
import Testing

/// Requests while the network is wrong on purpose.
@Suite struct NetworkFaultTests {
    /// What a GET of a server that answers 200 comes to, while `fault` is in force, and after it.
    private func outcomes(_ fault: NetworkFault, _ options: String = "{}") throws -> [String] {
        let server = try RawServer { connection in
            while connection.readHead() != nil { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        }
        let request = """
            (async () => {
                const e = await failure(http('GET', '\(server.url())', \(options)));
                return e.reply ?? [e.type, e.reason];
            })()
            """
        return try withExtendedLifetime(server) {
            try withEngine { engine, _ in
                let session = NetworkSession(loop: engine.loop, userAgent: "tests/1")
                let requests = try HTTPFixture.register(session, on: engine)
                defer {
                    requests.close()
                    session.close()
                }
                session.fault = fault
                let first = try engine.settle(request)
                session.fault = nil
                return [first, try engine.settle(request)]
            }
        }
    }

    @Test func nothingIsReachedWithoutANetwork() throws {
        #expect(try outcomes(.gone) == [#"["connect","unreachable"]"#, "200"])
    }

    @Test func aStatusIsAnsweredInThePlaceOfTheServer() throws {
        #expect(try outcomes(.status(503)) == ["503", "200"])
    }

    @Test func aDelayIsWaitedForButNotLongerThanTheRequestWould() throws {
        #expect(try outcomes(.delay(.milliseconds(50))) == ["200", "200"])
        #expect(try outcomes(.delay(.seconds(3600)), "{ timeout: 100 }").first == #"["connect","timedOut"]"#)
    }
}
