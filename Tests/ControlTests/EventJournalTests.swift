import Foundation
import Logging
import TestSupport
import Testing

@testable import Control

@Suite struct EventJournalTests {
    private func journal(maxEvents: Int = 10, maxBytes: Int = 1 << 20, recording count: Int = 0) -> EventJournal {
        var limits = EventJournal.Limits()
        limits.maxEvents = maxEvents
        limits.maxBytes = maxBytes
        let journal = EventJournal(limits: limits)
        for number in 0..<count {
            journal.record(
                .componentDied, component: number % 2 == 0 ? "a/x" : "b/y", generation: 1,
                at: LogTime(milliseconds: Int64(number)))
        }
        return journal
    }

    @Test func numbersEventsFromOneAndKeepsTheNewest() {
        let journal = journal(recording: 25)
        #expect(journal.first == 16 && journal.last == 25)
        #expect(journal.after(0).map(\.number) == Array(16...25))
        #expect(journal.after(20).map(\.number) == Array(21...25))
        #expect(journal.after(25).isEmpty)
        #expect(self.journal().first == 1 && self.journal().last == 0)
    }

    @Test func keepsWithinItsSizeWhateverIsRecorded() {
        let journal = journal(maxEvents: 1000, maxBytes: 20_000)
        let long = String(repeating: "x", count: 1 << 20)
        for _ in 0..<100 {
            journal.record(.command, Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \($0)", long) }))
        }
        let kept = journal.after(0)
        #expect(kept.reduce(0) { $0 + $1.cost } <= 20_000)
        #expect(kept.allSatisfy { $0.fields.count == 16 && $0.fields.values.allSatisfy { $0.utf8.count <= 1024 } })
    }

    @Test func showsAReaderThatComesTooLateWhatItMissed() {
        let journal = journal(recording: 25)
        var reader = EventReader(.number(3), component: nil, of: journal)
        let page = reader.read(journal, atMost: 5)
        #expect(page.first?.kind == "events-lost" && page.first?.fields == ["first": "4", "last": "15", "count": "12"])
        #expect(page.dropFirst().map(\.number) == Array(16...19))
        #expect(reader.read(journal, atMost: 100).map(\.number) == Array(20...25))
        #expect(reader.read(journal, atMost: 100).isEmpty)
        // Nothing was asked for that is gone.
        var late = EventReader(nil, component: nil, of: journal)
        #expect(late.read(journal, atMost: 1).map(\.kind) == ["component-died"])
    }

    @Test func givesWhatIsAskedForOnly() {
        let journal = journal(maxEvents: 100, recording: 10)
        var ofOne = EventReader(.number(0), component: "b/y", of: journal)
        #expect(ofOne.read(journal, atMost: 100).map(\.number) == [2, 4, 6, 8, 10])
        var sinceTime = EventReader(.time(LogTime(milliseconds: 7)), component: nil, of: journal)
        #expect(sinceTime.read(journal, atMost: 100).map(\.number) == [8, 9, 10])
    }

    @Test func eventsAreAsTheyWereAfterTheirWay() throws {
        let journal = EventJournal()
        journal.record(.command, component: "a/x", generation: 3, ["b": "2", "a": "|\n", "none": nil])
        let event = try #require(journal.after(0).first)
        #expect(event.fields == ["a": "|\n", "b": "2"])
        #expect(try EventEntry(json: JSONParser.parse(JSONWriter.text(event.json))) == event)
    }

    @Test func requestsAreAsTheyWereAfterTheirWay() throws {
        for request in [
            EventsRequest(), EventsRequest(since: .number(7), id: "a", follow: true),
            EventsRequest(since: .time(LogTime(milliseconds: 5))),
        ] {
            #expect(try EventsRequest(params: request.params) == request)
        }
        for wrong in [["since": "yesterday"], ["since": -1], ["since": 1.5], ["follow": "yes"]] as [JSONValue] {
            #expect(throws: JSONShapeError.self) { try EventsRequest(params: wrong) }
        }
    }

    @Test func theDocumentationHasEachKind() throws {
        let path = RunningSupervisor.repository + "/docs/inspecting.md"
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        for kind in EventKind.allCases { #expect(text.contains("| `\(kind.rawValue)` |"), "\(kind.rawValue)") }
    }
}

/// A journal behind a real socket.
@Suite struct EventFeedTests {
    private final class JournalService: ControlService {
        private let journal = EventJournal()

        func handle(_ request: ControlRequest, _ exchange: ControlExchange) {
            switch request {
            case .events(let request): journal.serve(request, component: nil, exchange)
            case .call(_, _, _, let arguments):
                for generation in 0..<UInt64(arguments.first?.int ?? 0) {
                    journal.record(
                        .componentDied, component: "a/x", generation: generation,
                        ["cause": "killed", "reason": "killed with SIGKILL by the user (process 1, uid 0)"])
                }
                exchange.reply(CallReply(result: JSONValue(journal.last)))
            default: exchange.fail(ControlError(.failed, "not here"))
            }
        }

        func audit(_ entry: AuditEntry) {}
        func report(_ text: String, caller: Peer?) {}
    }

    private func die(_ count: Int, _ client: ControlClient) throws -> Int64? {
        let request = ControlRequest.call(app: "a", service: "S", method: "die", arguments: [JSONValue(count)])
        return try client.ask(request, as: CallReply.self, within: .seconds(30)).result.int
    }

    @Test func aSlowReaderMissesEventsAndSeesHowMany() throws {
        let server = try ControlServerThread { JournalService() }
        defer { server.stop() }
        let slow = try RawClient(server.path)
        let answer = try slow.ask(#"{"jsonrpc":"2.0","id":1,"method":"events","params":{"since":0,"follow":true}}"#)
        #expect(answer?["result"]?["events"] == [])
        let killer = try ControlClient(path: server.path)
        let (rounds, deaths) = (20, 1000)
        for round in 1...rounds { #expect(try die(deaths, killer) == Int64(round * deaths)) }
        let total = Int64(rounds * deaths)
        var (last, lost, gaps) = (Int64(0), Int64(0), 0)
        while last < total {
            let item = try #require(try slow.next()?["params"]?["item"])
            let event = try EventEntry(json: item)
            if event.kind == EventKind.eventsLost.rawValue {
                #expect(event.fields["first"] == "\(last + 1)" && event.fields["last"] == "\(event.number)")
                lost += Int64(event.fields["count"] ?? "") ?? 0
                gaps += 1
            } else {
                #expect(event.number == UInt64(last + 1))
            }
            last = Int64(event.number)
        }
        #expect(last == total && gaps >= 1 && lost > total / 2, "\(gaps) gaps, \(lost) lost")
        // It is still served, and no longer behind.
        _ = try die(1, killer)
        #expect(try slow.next()?["params"]?["item"]?["number"]?.int == total + 1)
    }

    @Test func pagesGiveEverythingOnce() throws {
        let server = try ControlServerThread { JournalService() }
        defer { server.stop() }
        let client = try ControlClient(path: server.path)
        _ = try die(1234, client)
        var request = EventsRequest(since: .number(0))
        var numbers: [UInt64] = []
        while true {
            let page = try client.ask(.events(request), as: EventsReply.self, within: .seconds(30))
            numbers += page.events.map(\.number)
            guard page.more else { break }
            request.since = .number(page.next)
        }
        #expect(numbers == Array(1...1234))
        let error = #expect(throws: ControlError.self) {
            try client.ask(
                .events(EventsRequest(since: .number(5000))), as: EventsReply.self, within: .seconds(30))
        }
        #expect(error?.exitCode == .refused)
        #expect(error?.message.hasPrefix("the last event is 1234, so none can follow 5000; ") == true)
    }
}
