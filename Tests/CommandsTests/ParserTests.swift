import Control
import Testing

@testable import Commands

@Suite struct ParserTests {
    private static let sample = CommandSpec(
        "sample", [.required("ID"), .rest("JSON")], summary: "for tests",
        options: [
            OptionSpec("-n", "--lines", value: "N", meaning: ""), OptionSpec("-f", "--follow", meaning: ""), .json,
        ],
        exitCodes: [.ok], example: ""
    ) { _, _ in .ok }

    @Test(arguments: [
        (["a"], ["--lines": ""]), (["a", "--lines", "5"], ["--lines": "5"]), (["--lines=5", "a"], ["--lines": "5"]),
        (["-n", "5", "a"], ["--lines": "5"]), (["-n5", "a"], ["--lines": "5"]),
        (["--lines", "1", "a", "-n2"], ["--lines": "2"]), (["-n", "-5", "a"], ["--lines": "-5"]),
    ])
    func readsOptionsInEveryForm(_ arguments: [String], _ options: [String: String]) throws {
        let parsed = try ArgumentParser.parse(arguments, for: Self.sample)
        #expect(parsed.operands == ["a"])
        #expect(parsed.options["--lines"] ?? "" == options["--lines"])
    }

    @Test func takesNumbersWithADashAsOperandsWhereAnyMayStand() throws {
        #expect(try ArgumentParser.parse(["a", "-5", "-f"], for: Self.sample).operands == ["a", "-5"])
        #expect(try ArgumentParser.parse(["a", "--", "-f"], for: Self.sample).operands == ["a", "-f"])
        #expect(try ArgumentParser.parse(["-", "--json"], for: Self.sample).operands == ["-"])
    }

    @Test func helpNeedsNoOperands() throws {
        #expect(try ArgumentParser.parse(["-h"], for: Self.sample).has(.help))
        #expect(try ArgumentParser.parse(["--help", "x"], for: Self.sample).has(.help))
    }

    @Test(arguments: [
        ("lgos", ", did you mean logs?"), ("stat", ", did you mean start?"), ("inspct", ", did you mean inspect?"),
        ("xyz", ";"), ("q", ";"), ("", ";"), ("shut", ", did you mean shutdown?"),
    ])
    func suggestsTheNearestName(_ typed: String, _ text: String) {
        let names = ["run", "ps", "inspect", "logs", "start", "stop", "restart", "status", "shutdown"]
        #expect(Suggestion.text(for: typed, among: names) == text)
    }

    @Test(arguments: [
        ("30", Duration.seconds(30)), ("30s", .seconds(30)), ("500ms", .milliseconds(500)), ("1.5m", .seconds(90)),
        ("2h", .seconds(7200)), ("0", .zero),
    ])
    func readsTimes(_ text: String, _ time: Duration) { #expect(TimeOption.parse(text) == time) }

    @Test(arguments: ["", "s", "-1", "1d", "1 s", "1e3", "nan", "٣", "1e400", "."])
    func refusesOtherTimes(_ text: String) { #expect(TimeOption.parse(text) == nil) }
}
