public import Control
public import Faults
internal import Supervision

/// Something that is done to the platform, once or again and again.
public struct ActionPlan: Equatable, Sendable {
    public enum Deed: Equatable, Sendable {
        /// What `corehost kill` and `corehost restart` do.
        case kill(FaultSelector, signal: KillSignal)
        case restart(FaultSelector)
        /// What `corehost fault inject` does; undone when the actions are over, or with the connection.
        case fault(FaultPlan)
    }

    public enum Times: Equatable, Sendable {
        case once(at: Duration)
        /// At `from`, then each `every`, before `until`; each moved by up to `jitter` × `every` to either side.
        case again(from: Duration, every: Duration, until: Duration, jitter: Double)
    }

    public var name: String
    public var deed: Deed
    public var times: Times
}

/// A fault to be injected; what is nil has the supervisor's default.
public struct FaultPlan: Equatable, Sendable {
    public var kind: String
    public var target: String?
    public var parameters: [String: String]
    public var count: Int?
    public var rate: Double?
    public var duration: Duration?
    public var most: Int?
}

/// One moment of a timeline.
public struct Step: Equatable, Sendable {
    /// Since the actions began.
    public var at: Duration
    /// Of the plan in the scenario.
    public var plan: Int
    /// What its lots are drawn with.
    public var seed: UInt64
}

/// All that a scenario does, in its order; the same for the same seed.
enum Timeline {
    static let maxSteps = 10_000

    static func steps(of plans: [ActionPlan], seed: UInt64) -> [Step] {
        var random = Lots(seed: seed)
        var steps: [Step] = []
        for (index, plan) in plans.enumerated() {
            // Each plan draws from numbers of its own, so that a new one leaves the others as they are.
            var own = Lots(seed: random.next())
            for time in times(of: plan, &own) { steps.append(Step(at: time, plan: index, seed: own.next())) }
        }
        return steps.sorted { ($0.at, $0.plan) < ($1.at, $1.plan) }
    }

    static func count(_ times: ActionPlan.Times) -> Int {
        switch times {
        case .once: 1
        case .again(let from, let every, let until, _):
            until > from ? Int((until - from - .nanoseconds(1)) / every) + 1 : 0
        }
    }

    private static func times(of plan: ActionPlan, _ random: inout Lots) -> [Duration] {
        switch plan.times {
        case .once(let time): return [time]
        case .again(let from, let every, _, let jitter):
            return (0..<count(plan.times)).map { number in
                let moved = jitter > 0 ? Double.random(in: -jitter...jitter, using: &random) : 0
                return max(.zero, from + every * number + every * moved)
            }
        }
    }
}
