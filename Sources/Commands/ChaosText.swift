internal import Chaos
internal import Configuration
internal import Control

/// A run's timeline as it comes, for people.
struct ChaosFeed {
    private static let most = 60

    private let console: Console?
    private var shown = 0
    private var omitted = 0

    /// - Parameter console: nil = nobody reads it.
    init(_ console: Console?) { self.console = console }

    mutating func tell(_ entry: ChaosTimeline.Entry) {
        guard let console else { return }
        if entry.kind != .phase {
            guard shown < Self.most else {
                omitted += 1
                return
            }
            shown += 1
        }
        let at = ChaosText.time(entry.at)
        print(console.coloured(console.clean("\(at)  \(entry.text)"), ChaosText.colour(entry.kind)))
    }

    func end() {
        if omitted > 0 { print("          … and \(omitted) lines more; --json FILE has them") }
    }

    /// What cannot be written now is not worth ending a run for: the report says it.
    private func print(_ line: String) { _ = console?.out(line + "\n") }
}

enum ChaosText {
    /// `  +12.345 s`.
    static func time(_ at: Duration) -> String {
        let milliseconds = Int(at / .milliseconds(1))
        let fraction = String(milliseconds.magnitude % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        let text = "\(milliseconds < 0 ? "-" : "+")\(milliseconds.magnitude / 1000).\(zeros)\(fraction) s"
        return String(repeating: " ", count: max(0, 11 - text.count)) + text
    }

    static func colour(_ kind: ChaosTimeline.Kind) -> Console.Colour? {
        switch kind {
        case .phase, .deed: nil
        case .death: .yellow
        case .recovery, .probe: .green
        case .problem: .red
        }
    }

    /// A line of the report.
    static func coloured(_ line: String, _ console: Console) -> String {
        let colour: Console.Colour? =
            if line.contains("BROKEN") { .red } else if line.hasPrefix("  held") { .green } else { nil }
        return console.coloured(console.clean(line), colour)
    }

    static func summary(_ scenario: Scenario) -> String {
        "\(scenario.name), seed \(scenario.seed): \(scenario.actions.count) actions, \(scenario.loads.count) kinds of calls,"
            + " \(scenario.probes.count) probes"
    }

    static func json(_ scenario: Scenario, _ file: String) -> JSONValue {
        [
            "schema": "corehost.chaos-check/1", "file": .string(file), "ok": true, "name": .string(scenario.name),
            "line": nil, "column": nil, "key": nil, "message": nil,
        ]
    }

    static func json(_ error: ConfigurationError) -> JSONValue {
        [
            "schema": "corehost.chaos-check/1", "file": .string(error.file), "ok": false, "name": nil,
            "line": JSONValue(error.line), "column": JSONValue(error.column), "key": .string(error.keyPath),
            "message": .string("\(error)"),
        ]
    }
}
