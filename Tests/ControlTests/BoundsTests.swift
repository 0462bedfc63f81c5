import Glibc
import TestSupport
import Testing

@testable import Control

@Suite struct BoundsTests {
    private static let version = #"{"jsonrpc":"2.0","id":1,"method":"version"}"#

    @Test func closesOnALineThatIsTooLong() throws {
        var limits = ControlLimits()
        limits.maxLineBytes = 1000
        try withServer(limits: limits) { server in
            for end in ["", "\n"] {
                let client = try RawClient(server.path)
                client.write(String(repeating: " ", count: 1001) + end)
                #expect(try client.next()?["error"]?["message"] == "a line may have 1000 bytes at most")
                #expect(try client.next() == nil)
            }
            #expect(try RawClient(server.path).ask(Self.version) != nil)
        }
    }

    @Test func takesALineOfTheGreatestLengthAndGivesAnAnswerBeyondTheBound() throws {
        var limits = ControlLimits()
        limits.maxLineBytes = 50_000
        limits.maxUnsentBytes = 50_000
        try withServer(limits: limits) { server in
            let client = try RawClient(server.path)
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"call","params":{"app":"a","service":"S","method":"large","#
                + #""arguments":[600000]}}"#
            client.write(request + String(repeating: " ", count: 50_000 - request.utf8.count) + "\n")
            #expect(try client.next()?["result"]?["result"]?.string?.count == 600_000)
        }
    }

    @Test func putsOutAClientThatNeverReads() throws {
        var limits = ControlLimits()
        limits.maxUnsentBytes = 400_000
        try withServer(limits: limits) { server in
            let deaf = try RawClient(server.path)
            let large =
                #"{"jsonrpc":"2.0","id":1,"method":"call","params":{"app":"a","service":"S","method":"large","#
                + #""arguments":[100000]}}"# + "\n"
            for _ in 0..<20 { deaf.write(large) }
            #expect(server.events.wait(for: "report a client that does not read its answers was put out"))
            #expect(try RawClient(server.path).ask(Self.version) != nil)
        }
    }

    @Test func refusesRequestsThatComeTooFast() throws {
        var limits = ControlLimits()
        limits.maxRequestsPerSecond = 5
        try withServer(limits: limits) { server in
            let client = try RawClient(server.path)
            client.write(String(repeating: Self.version + "\n", count: 50))
            let replies = try (0..<50).map { _ in try #require(try client.next()) }
            #expect(replies.prefix(5).allSatisfy { $0["result"] != nil })
            #expect(
                replies.last?["error"]
                    == ["code": -32006, "message": "more than 5 requests in a second; wait and ask again"])
        }
    }

    @Test func refillsTheRateWithTime() {
        var rate = RateLimit(perSecond: 10, now: 0)
        #expect((0..<12).map { _ in rate.take(now: 0) } == Array(repeating: true, count: 10) + [false, false])
        #expect(
            [100_000_000, 100_000_000, 150_000_000, 250_000_000].map { rate.take(now: $0) } == [
                true, false, false, true,
            ])
        #expect((0..<12).filter { _ in rate.take(now: 1 << 60) }.count == 10)
    }

    @Test func refusesTooManyOpenRequests() throws {
        var limits = ControlLimits()
        limits.maxPendingRequests = 3
        try withServer(limits: limits) { server in
            let client = try RawClient(server.path)
            let never = #"{"jsonrpc":"2.0","id":1,"method":"call","params":{"app":"a","service":"S","method":"never"}}"#
            client.write(String(repeating: never + "\n", count: 4))
            #expect(
                try client.next()?["error"]?["message"]
                    == "3 requests of this client wait for their answers; wait for one")
        }
    }

    @Test func serves64ClientsAndTurnsAwayMore() throws {
        try withServer { server in
            var clients: [RawClient] = []
            for _ in 0..<64 {
                let client = try RawClient(server.path)
                #expect(try client.ask(Self.version)?["result"] != nil)
                clients.append(client)
            }
            for _ in 0..<36 {
                let late = try RawClient(server.path)
                #expect(try late.next()?["error"]?["message"] == "64 clients are connected already; close one")
                #expect(try late.next() == nil)
            }
            for client in clients { #expect(try client.ask(Self.version)?["result"] != nil) }
        }
    }

    @Test func turnsAwayAnotherUser() throws {
        try withServer(peer: Peer(pid: 1, uid: geteuid() + 1)) { server in
            let client = try RawClient(server.path)
            #expect(try client.next()?["error"]?["code"] == -32006)
            #expect(try client.next() == nil)
            #expect(server.events.wait(for: "report a client was turned away: this supervisor belongs to uid"))
        }
        try withServer(peer: Peer(pid: 1, uid: 0)) { server in
            let reply = try RawClient(server.path).ask(Self.version)
            #expect(reply?["result"] != nil)
        }
    }

    @Test func survivesRandomBytes() throws {
        let seed = SeededRandom.seed(for: "random bytes to the control socket")
        var random = SeededRandom(seed: seed)
        var limits = ControlLimits()
        limits.maxLineBytes = 4096
        limits.maxRequestsPerSecond = 1_000_000
        // The server sees that a client has left only after it has taken the next ones.
        limits.maxClients = 1000
        try withServer(limits: limits) { server in
            for _ in 0..<200 {
                let client = try RawClient(server.path)
                var bytes = Array(String(repeating: Self.version + "\n", count: 3).utf8)
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let at = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[at] = UInt8.random(in: 0...255, using: &random)
                }
                client.write(String(decoding: bytes, as: UTF8.self))
            }
            #expect(try RawClient(server.path).ask(Self.version)?["result"] != nil, "seed \(seed)")
        }
    }
}
