internal import Supervision

/// Something that a platform promises, and whether it was so.
public struct Promise: Equatable, Sendable {
    public enum Verdict: String, CaseIterable, Sendable {
        case held, broken
        /// The run ended before it could be.
        case notJudged = "not-judged"
    }

    public var name: String
    public var verdict: Verdict
    /// What was seen, in words.
    public var detail: String

    public init(_ name: String, _ verdict: Verdict, _ detail: String) {
        self.name = name
        self.verdict = verdict
        self.detail = detail
    }

    var holds: Bool { verdict == .held }

    static func of(_ name: String, broken: String?, held: String) -> Promise {
        Promise(name, broken == nil ? .held : .broken, broken ?? held)
    }
}

extension ChaosRun {
    static let goesOn = "the supervisor goes on"

    /// As far as the run has come.
    public var promises: [Promise] {
        if let reason = supervisorIsGone {
            return [Promise(Self.goesOn, .broken, reason)] + judged.map { Promise($0.name, .notJudged, "") }
        }
        switch phase {
        case .settling, .ended(.held), .ended(.broken):
            return [Promise(Self.goesOn, .held, "it answered to the end")] + judged
        case .idle, .preparing, .steadying, .acting, .draining, .rollingBack, .ended:
            return ([Promise(Self.goesOn, .held, "")] + judged).map { Promise($0.name, .notJudged, "") }
        }
    }

    private var judged: [Promise] {
        zip(scenario.probes, probes).map { probe, record in
            Promise.of(probe.name, broken: record.broken, held: record.words)
        }
            + zip(scenario.loads, loads).flatMap { load, record in record.promises(load.name, isFound: load.find != nil)
            }
            + recoveries.promises(scenario.recovery, eventsMissed: eventsMissed)
            + [
                Promise.of(
                    "nothing stays injected",
                    broken: stillInjected.isEmpty ? nil : stillInjected.joined(separator: "; "),
                    held: "everything is undone")
            ]
    }
}

extension ProbeRecord {
    fileprivate var words: String {
        asked > 0 ? "held in \(held) of \(asked) answers while actions went on" : "as it should be"
    }
}

extension LoadRecord {
    fileprivate func promises(_ name: String, isFound: Bool) -> [Promise] {
        let rejections = rejected.values.reduce(0, +)
        var broken: String?
        if unanswered > 0 {
            broken = "\(unanswered) of \(calls) calls got neither a value nor an exception: \(firstUnanswered ?? "")"
        } else if returned == 0 {
            broken = "none of \(calls) calls returned a value"
        }
        var promises = [
            Promise.of(
                "\(name): every call is answered", broken: broken,
                held: "\(calls) calls, \(returned) returned, \(rejections) rejected")
        ]
        guard isFound else { return promises }
        guard let account else {
            let why = findProblem ?? "not asked"
            promises.append(Promise("\(name): no acknowledged write is lost", .broken, "cannot be looked for: \(why)"))
            return promises
        }
        let (lost, twice) = (account.lost, account.duplicated)
        promises.append(
            .of(
                "\(name): no acknowledged write is lost",
                broken: lost.isEmpty
                    ? nil : "\(lost.count) of \(account.acknowledged) are not there: \(Self.some(lost))",
                held: "all \(account.acknowledged) are there"))
        promises.append(
            .of(
                "\(name): no write is there twice",
                broken: twice.isEmpty ? nil : "\(twice.count) are: \(Self.some(twice))", held: "none is"))
        return promises
    }

    private static func some(_ marks: [String]) -> String {
        marks.prefix(5).joined(separator: ", ") + (marks.count > 5 ? ", …" : "")
    }
}

extension Recoveries {
    fileprivate func promises(_ bound: Scenario.RecoveryBound, eventsMissed: Int) -> [Promise] {
        let late = times.filter { $0.took > bound.within }
        var broken: String?
        if let (component, reason) = failed.min(by: { $0.key < $1.key }) {
            broken = "\(component) was given up: \(reason)"
        } else if let component = pending.keys.min(), eventsMissed == 0 {
            broken = "\(component) did not come back"
        } else if let worst = late.max(by: { $0.took < $1.took }) {
            broken = "\(late.count) of \(times.count) took longer; \(worst.component) \(worst.took.shown)"
        }
        var promises = [
            Promise.of(
                "every component is back within \(bound.within.text)", broken: broken,
                held: times.isEmpty ? "none died" : "\(times.count) did after \(deaths) deaths")
        ]
        if let p99 = bound.p99 {
            let seen = percentile(99)
            promises.append(
                .of(
                    "99 of 100 are back within \(p99.text)",
                    broken: seen.flatMap { $0 > p99 ? "p99 is \($0.shown)" : nil },
                    held: seen.map { "p99 is \($0.shown)" } ?? "none died"))
        }
        return promises
    }
}

extension Duration {
    /// With a digit behind the point, as `0.4 ms`, `12.3 ms`, `1.52 s`.
    var shown: String {
        let microseconds = nanoseconds / 1000
        if microseconds < 1_000_000 {
            return microseconds < 100_000
                ? "\(microseconds / 1000).\(microseconds % 1000 / 100) ms" : "\(microseconds / 1000) ms"
        }
        let hundredths = microseconds / 10_000
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    }
}
