import Control
import Foundation
import Supervision
import TestSupport
import Testing

@testable import Chaos

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What is made of a run for its readers.
@Suite struct ReportTests {
    private static func report(_ name: String = "t", gone: Bool = false) throws -> ChaosReport {
        let scenario = try Scenario(
            text: #"""
                {"schema": "corehost.scenario/1", "name": "\#(name)", "duration": "1s", "settle": "1s",
                 "probes": [{"name": "p <&\"> q", "doctor": true}],
                 "actions": [{"at": "0s", "kill": {"target": "all"}}]}
                """#, file: "f")
        var run = ChaosRun(scenario, seed: 5, mark: "m")
        func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
        _ = run.handle(.began, at: at(0))
        _ = run.handle(.probed(0, .doctor([])), at: at(10))
        _ = run.handle(.acted(0, .done(["a/x"])), at: at(11))
        _ = run.handle(.seen(.died(component: "a/x", cause: "killed")), at: at(20))
        _ = run.handle(.seen(.running(component: "a/x")), at: at(145))
        if gone {
            _ = run.handle(.gone("it \u{1B}[31m died"), at: at(200))
        } else {
            _ = run.handle(.tick, at: at(1100))
            _ = run.handle(.rolledBack(stillThere: []), at: at(1101))
            _ = run.handle(.probed(0, .doctor(["lock: gone"])), at: at(1102))
            _ = run.handle(.tick, at: at(2200))
        }
        return ChaosReport(run, seed: 5, end: .exited(0))
    }

    @Test func forPeople() throws {
        #expect(
            try Self.report().lines == [
                "actions", "  kill all: done once", "recoveries", "  1 deaths (1 killed), 1 recoveries",
                "  from death to ready: p50 125 ms, p99 125 ms, longest 125 ms", "promises",
                "  held   the supervisor goes on: it answered to the end",
                #"  BROKEN p <&"> q: does not hold afterwards: the doctor finds: lock: gone"#,
                "  held   every component is back within 1 s: 1 did after 1 deaths",
                "  held   nothing stays injected: everything is undone",
                "  held   the supervisor ends in order: with exit code 0", #"t, seed 5: BROKEN: p <&"> q"#,
            ])
    }

    @Test(arguments: [false, true])
    func asJSON(gone: Bool) throws {
        let json = try JSONParser.parse(JSONWriter.text(Self.report(gone: gone).json))
        #expect(try JSONSchema(of: json).problems(of: json) == [])
        #expect(json["outcome"] == "broken" && json["exitCode"] == 8)
        #expect(json["recoveries"]?["p99"] == 0.125)
    }

    /// Reads the XML as a JUnit reader does, with counts that must be those of its elements.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [String: Int] = [:]
        var suite: [String: String] = [:]
        var cases: [String] = []
        var messages: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements[name, default: 0] += 1
            if name == "testsuite" { suite = attributes }
            if name == "testcase" { cases.append(attributes["name"] ?? "") }
            if let message = attributes["message"] { messages.append(message) }
        }
    }

    @Test(arguments: ["t", "<\u{1F600} & 'quotes'>"], [false, true])
    func asJUnit(name: String, gone: Bool) throws {
        let report = try Self.report(name, gone: gone)
        let parser = XMLParser(data: Data(report.junit.utf8))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(parser.parserError as Any) in \(report.junit)")
        #expect(reader.suite["name"] == name)
        #expect(reader.suite["tests"] == "\(reader.cases.count)" && reader.cases.contains(#"p <&"> q"#))
        #expect(reader.suite["failures"] == "\(reader.elements["failure"] ?? 0)" && reader.elements["failure"] == 1)
        #expect(reader.suite["skipped"] == "\(reader.elements["skipped"] ?? 0)")
        #expect(
            reader.messages == [
                gone ? "it \u{FFFD}[31m died" : "does not hold afterwards: the doctor finds: lock: gone"
            ])
    }

    @Test func percentilesAreNearestRanks() {
        let times = (1...200).reversed().map { Duration.milliseconds($0) }
        #expect(Percentile.of(times, 50) == .milliseconds(100) && Percentile.of(times, 99) == .milliseconds(198))
        #expect(Percentile.of([.seconds(1)], 99) == .seconds(1) && Percentile.of([], 99) == nil)
    }

    @Test func theTimelineIsBounded() {
        var timeline = ChaosTimeline()
        for number in 0..<6000 { timeline.note(Instant(nanoseconds: Int64(number)), .death, "d") }
        timeline.note(Instant(nanoseconds: 7000), .phase, "over")
        #expect(timeline.entries.count == ChaosTimeline.maxEntries + 1 && timeline.omitted == 1000)
    }
}
