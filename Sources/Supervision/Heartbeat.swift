/// How often a sign of life is asked for, and how long it may take.
public struct HeartbeatPolicy: Hashable, Sendable {
    /// From the moment at which something has to be reacted to, to the question.
    public var interval: Duration
    /// Without an answer for this long: an event, with the stack if there is one.
    public var soft: Duration
    /// Without an answer for this long: the end.
    public var hard: Duration

    public init(interval: Duration = .seconds(5), soft: Duration = .seconds(5), hard: Duration = .seconds(30)) {
        self.interval = interval
        self.soft = soft
        self.hard = hard
    }
}

/// Whether a component, or the core, still gives turns. Decides when to ask and what silence means; has no clock.
public struct Heartbeat: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case ask(UInt32)
        /// The soft limit is over.
        case overdue(Duration)
        /// An answer, after the soft limit.
        case recovered(after: Duration)
        /// The hard limit is over. Nothing comes after it.
        case hung(Duration)
    }

    /// A deadline that is seen so much too late was slept through by the supervisor itself (it was stopped, or the machine
    /// was overloaded): the silence may not be the other's, and is counted anew.
    static let lateness = Duration.seconds(1)

    private enum State: Hashable, Sendable {
        case quiet
        case due(at: Instant)
        case asked(at: Instant, isOverdue: Bool)
        case over
    }

    public var policy: HeartbeatPolicy
    private var state = State.quiet
    private var number: UInt32 = 0

    public init(_ policy: HeartbeatPolicy) { self.policy = policy }

    /// When `tick` has to be called.
    public var deadline: Instant? {
        switch state {
        case .quiet, .over: nil
        case .due(let at): at
        case .asked(let at, let isOverdue): at + (isOverdue ? policy.hard : min(policy.soft, policy.hard))
        }
    }

    /// When the question was asked that has no answer yet.
    public var askedAt: Instant? { if case .asked(let at, _) = state { at } else { nil } }

    /// There is something to react to.
    public mutating func expectTurn(at now: Instant) {
        if state == .quiet { state = .due(at: now + policy.interval) }
    }

    /// Asks now, unless an answer is awaited already.
    public mutating func ask(at now: Instant) -> Action? {
        switch state {
        case .quiet, .due:
            number &+= 1
            state = .asked(at: now, isOverdue: false)
            return .ask(number)
        case .asked, .over: return nil
        }
    }

    /// An answer to an earlier question says nothing.
    public mutating func answered(_ number: UInt32, at now: Instant) -> Action? {
        guard case .asked(let at, let isOverdue) = state, number == self.number else { return nil }
        state = .quiet
        return isOverdue ? .recovered(after: now - at) : nil
    }

    public mutating func tick(at now: Instant) -> Action? {
        guard let deadline, now >= deadline else { return nil }
        switch state {
        case .quiet, .over: return nil
        case .due: return ask(at: now)
        case .asked(let at, let isOverdue):
            if now - deadline > Self.lateness {
                state = .asked(at: now, isOverdue: isOverdue)
                return nil
            }
            if isOverdue || policy.hard <= policy.soft {
                state = .over
                return .hung(now - at)
            }
            state = .asked(at: at, isOverdue: true)
            return .overdue(now - at)
        }
    }
}
