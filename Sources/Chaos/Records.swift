internal import Control
internal import Supervision

/// What a run has done of one plan.
struct DeedRecord: Equatable {
    let name: String
    private(set) var done = 0
    /// Of faults: how often they were applied; nil = it is none.
    var applied: Int?
    /// Moments at which there was nothing to do it to.
    private(set) var nothing = 0
    private(set) var lastReason: String?

    init(_ plan: ActionPlan) {
        name = plan.name
        if case .fault = plan.deed { applied = 0 }
    }

    var hadEffect: Bool { applied.map { $0 > 0 } ?? (done > 0) }

    mutating func take(_ answer: ActAnswer) {
        switch answer {
        case .done, .injected: done += 1
        case .nothing(let why):
            nothing += 1
            lastReason = why
        case .refused(let error): lastReason = error.message
        }
    }
}

/// Deaths, and how soon the next life was ready.
struct Recoveries: Equatable {
    private(set) var deaths = 0
    /// By cause.
    private(set) var causes: [String: Int] = [:]
    /// Since when components are down that shall come back.
    private(set) var pending: [String: Instant] = [:]
    private(set) var times: [(component: String, took: Duration)] = []
    /// Components that stay down by their rules.
    private(set) var stayedDown = 0
    /// Those given up; why.
    private(set) var failed: [String: String] = [:]

    static func == (left: Recoveries, right: Recoveries) -> Bool {
        left.deaths == right.deaths && left.pending == right.pending && left.failed == right.failed
            && left.times.map(\.took) == right.times.map(\.took)
    }

    /// What the timeline says of it.
    mutating func take(_ sighting: Sighting, at now: Instant) -> (kind: ChaosTimeline.Kind, text: String)? {
        switch sighting {
        case .died(let component, let cause):
            deaths += 1
            causes[cause, default: 0] += 1
            // One that dies again before it is ready has been down all the time.
            pending[component] = pending[component] ?? now
            return (.death, "\(component) died: \(cause)")
        case .running(let component):
            failed[component] = nil
            guard let since = pending.removeValue(forKey: component) else { return nil }
            times.append((component, now - since))
            return (.recovery, "\(component) runs again, after \((now - since).text)")
        case .down(let component):
            guard pending.removeValue(forKey: component) != nil else { return nil }
            stayedDown += 1
            return (.recovery, "\(component) stays down by its rules")
        case .failed(let component, let reason):
            pending[component] = nil
            failed[component] = reason
            return (.problem, "\(component) was given up: \(reason)")
        case .closes, .missed, .applied, .notApplied: return nil
        }
    }

    func percentile(_ share: Int) -> Duration? { Percentile.of(times.map(\.took), share) }
}

enum Percentile {
    /// The nearest rank; nil of nothing.
    static func of(_ times: [Duration], _ share: Int) -> Duration? {
        guard !times.isEmpty else { return nil }
        let rank = (times.count * share + 99) / 100
        return times.sorted()[min(max(rank, 1), times.count) - 1]
    }
}

/// What happened, in its order; bounded.
public struct ChaosTimeline: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case phase, deed, death, recovery, probe, problem
    }

    public struct Entry: Equatable, Sendable {
        /// Since the actions began; negative before.
        public var at: Duration
        public var kind: Kind
        public var text: String
    }

    static let maxEntries = 5000

    /// When the actions began; the run's begin until then.
    private(set) var start = Instant(nanoseconds: 0)
    private var isBegun = false
    public private(set) var entries: [Entry] = []
    /// Beyond the bound.
    public private(set) var omitted = 0

    mutating func begin(_ now: Instant) {
        for index in entries.indices { entries[index].at -= now - start }
        start = now
    }

    mutating func note(_ now: Instant, _ kind: Kind, _ text: String) {
        if !isBegun {
            isBegun = true
            start = now
        }
        guard entries.count < Self.maxEntries || kind == .phase else {
            omitted += 1
            return
        }
        entries.append(Entry(at: now - start, kind: kind, text: text))
    }
}
