public import Control
internal import Supervision

extension ChaosReport {
    static let maxMarks = 100

    /// By `docs/schemas/chaos.json`. Times in seconds.
    public var json: JSONValue {
        [
            "schema": .string(Self.schema), "scenario": .string(scenario.name), "seed": JSONValue(seed),
            "outcome": .string(outcome.name), "reason": JSONValue(outcome.reason),
            "exitCode": JSONValue(exitCode.rawValue),
            "took": Self.seconds(took),
            "promises": .array(
                promises.map { promise in
                    [
                        "name": .string(promise.name), "verdict": .string(promise.verdict.rawValue),
                        "detail": .string(promise.detail),
                    ]
                }),
            "actions": .array(
                deeds.map { deed in
                    [
                        "name": .string(deed.name), "done": JSONValue(deed.done), "applied": JSONValue(deed.applied),
                        "nothing": JSONValue(deed.nothing),
                    ]
                }),
            "recoveries": [
                "deaths": JSONValue(recoveries.deaths), "count": JSONValue(recoveries.times.count),
                "causes": .object(
                    recoveries.causes.sorted { $0.key < $1.key }.map { .init($0.key, JSONValue($0.value)) }),
                "p50": Self.seconds(recoveries.percentile(50)), "p99": Self.seconds(recoveries.percentile(99)),
                "longest": Self.seconds(recoveries.percentile(100)), "stayedDown": JSONValue(recoveries.stayedDown),
            ],
            "calls": .array(zip(scenario.loads, loads).map(Self.json)),
            "probes": .array(
                zip(scenario.probes, probes).map { probe, record in
                    [
                        "name": .string(probe.name), "asked": JSONValue(record.asked), "held": JSONValue(record.held),
                        "after": JSONValue(record.holdsAfter),
                        "problem": JSONValue(record.problem ?? record.firstProblem),
                    ]
                }),
            "eventsMissed": JSONValue(eventsMissed),
            "timeline": .array(
                timeline.entries.map { entry in
                    [
                        "at": Self.seconds(entry.at), "kind": .string(entry.kind.rawValue), "text": .string(entry.text),
                    ]
                }),
            "timelineOmitted": JSONValue(timeline.omitted),
        ]
    }

    private static func json(_ load: Scenario.Load, _ record: LoadRecord) -> JSONValue {
        let account = record.account.map { account -> JSONValue in
            [
                "acknowledged": JSONValue(account.acknowledged), "lost": JSONValue(account.lost.count),
                "duplicated": JSONValue(account.duplicated.count),
                "unacknowledged": JSONValue(account.unacknowledged),
                "lostMarks": JSONValue(Array(account.lost.prefix(maxMarks))),
                "duplicatedMarks": JSONValue(Array(account.duplicated.prefix(maxMarks))),
            ]
        }
        return [
            "name": .string(load.name), "calls": JSONValue(record.calls), "returned": JSONValue(record.returned),
            "rejected": .object(record.rejected.sorted { $0.key < $1.key }.map { .init($0.key, JSONValue($0.value)) }),
            "unanswered": JSONValue(record.unanswered), "p50": seconds(Percentile.of(record.times, 50)),
            "p99": seconds(Percentile.of(record.times, 99)), "writes": account ?? .null,
        ]
    }

    private static func seconds(_ duration: Duration?) -> JSONValue { JSONValue(duration.map { $0 / .seconds(1) }) }
}

extension Outcome {
    /// `held broken could-not-run interrupted`.
    var name: String {
        switch self {
        case .held: "held"
        case .broken: "broken"
        case .couldNotRun: "could-not-run"
        case .interrupted: "interrupted"
        }
    }

    var reason: String? {
        switch self {
        case .held, .broken: nil
        case .couldNotRun(let reason, _): reason
        case .interrupted(let signal): "signal \(signal)"
        }
    }
}
