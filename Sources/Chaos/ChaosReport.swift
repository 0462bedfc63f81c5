public import Control
internal import Supervision

/// What a run has shown, for all of its readers.
public struct ChaosReport: Sendable {
    public static let schema = "corehost.chaos/1"

    public let scenario: Scenario
    public let seed: UInt64
    public let outcome: Outcome
    public let promises: [Promise]
    public let timeline: ChaosTimeline
    /// Since the actions began.
    public let took: Duration
    let probes: [ProbeRecord]
    let loads: [LoadRecord]
    let deeds: [DeedRecord]
    let recoveries: Recoveries
    let eventsMissed: Int
    private let isAllUndone: Bool

    /// - Parameter end: how a supervisor of the run's own ended; nil = it was not the run's own.
    public init(_ run: ChaosRun, seed: UInt64, end: SupervisorEnd?) {
        scenario = run.scenario
        self.seed = seed
        timeline = run.timeline
        took = run.timeline.entries.last?.at ?? .zero
        (probes, loads, deeds, recoveries) = (run.probes, run.loads, run.deeds, run.recoveries)
        eventsMissed = run.eventsMissed
        isAllUndone = run.stillInjected.isEmpty
        var promises = run.promises
        if let end, run.supervisorIsGone == nil {
            promises.append(.of("the supervisor ends in order", broken: end.problem, held: "with exit code 0"))
        }
        self.promises = promises
        let outcome = run.outcome ?? .couldNotRun("it did not come to its end", .failed)
        self.outcome = outcome == .held && !promises.allSatisfy(\.holds) ? .broken : outcome
    }

    public var broken: [Promise] { promises.filter { $0.verdict == .broken } }

    /// What the program ends with; one that was interrupted ends by that signal.
    public var exitCode: ExitCode {
        switch outcome {
        case .held: .ok
        case .broken: .probeFailed
        case .couldNotRun(_, let code): code
        case .interrupted: .failed
        }
    }
}

/// How a supervisor ended that was told to.
public enum SupervisorEnd: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It had to be killed.
    case killed(after: Duration)

    var problem: String? {
        switch self {
        case .exited(0): nil
        case .exited(let code): "it ended with exit code \(code)"
        case .signalled(let number): "signal \(number) ended it"
        case .killed(let limit): "it was still there \(limit.text) after SIGTERM"
        }
    }
}

// MARK: For people

extension ChaosReport {
    /// Lines of the report, without the timeline.
    public var lines: [String] {
        var lines = deeds.map { deed in
            "  \(deed.name): done \(Self.times(deed.done))"
                + (deed.applied.map { ", applied \(Self.times($0))" } ?? "")
                + (deed.nothing > 0 ? ", \(Self.times(deed.nothing)) there was nothing to do it to" : "")
        }
        if !lines.isEmpty { lines.insert("actions", at: 0) }
        if recoveries.deaths > 0 {
            lines.append("recoveries")
            let causes = recoveries.causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            lines.append(
                "  \(recoveries.deaths) deaths (\(causes.map { "\($0.value) \($0.key)" }.joined(separator: ", "))),"
                    + " \(recoveries.times.count) recoveries")
            if let half = recoveries.percentile(50), let most = recoveries.percentile(99),
                let worst = recoveries.percentile(100)
            {
                lines.append("  from death to ready: p50 \(half.shown), p99 \(most.shown), longest \(worst.shown)")
            }
        }
        if !loads.isEmpty { lines.append("calls") }
        for (load, record) in zip(scenario.loads, loads) { lines += Self.lines(load, record) }
        if eventsMissed > 0 { lines.append("\(eventsMissed) events of the supervisor were missed: read too slowly") }
        lines.append("promises")
        lines += promises.map { promise in
            let mark =
                switch promise.verdict {
                case .held: "held   "
                case .broken: "BROKEN "
                case .notJudged: "?      "
                }
            return "  \(mark)\(promise.name)\(promise.detail.isEmpty ? "" : ": \(promise.detail)")"
        }
        return lines + [verdict]
    }

    /// One line.
    public var verdict: String {
        switch outcome {
        case .held: "\(scenario.name), seed \(seed): held"
        case .broken: "\(scenario.name), seed \(seed): BROKEN: \(broken.map(\.name).joined(separator: "; "))"
        case .couldNotRun(let reason, _): "\(scenario.name), seed \(seed): could not run: \(reason)"
        case .interrupted(let signal):
            "\(scenario.name), seed \(seed): interrupted by signal \(signal); \(isAllUndone ? "everything is undone" : "not everything is undone")"
        }
    }

    private static func lines(_ load: Scenario.Load, _ record: LoadRecord) -> [String] {
        let half = Percentile.of(record.times, 50)?.shown ?? "-"
        let most = Percentile.of(record.times, 99)?.shown ?? "-"
        let kinds = record.rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let rejected = kinds.map { "\($0.value) rejected (\($0.key))" }
        let unanswered = record.unanswered > 0 ? ["\(record.unanswered) not answered"] : []
        let outcomes = (["\(record.returned) returned"] + rejected + unanswered).joined(separator: ", ")
        var lines = ["  \(load.name): \(record.calls) calls, \(outcomes); p50 \(half), p99 \(most)"]
        if let account = record.account {
            lines.append(
                "    \(account.acknowledged) writes acknowledged, \(account.lost.count) lost, \(account.duplicated.count)"
                    + " duplicated; \(account.unacknowledged) there without an acknowledgement")
        }
        return lines
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
