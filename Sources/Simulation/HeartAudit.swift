import Supervision

/// One component's heartbeat, from outside: when it was asked, when it really answered, and what was made of that.
struct HeartAudit {
    /// A supervisor that is late by more than this has slept itself.
    private static let lateness = Duration.seconds(1)

    private var policy: HeartbeatPolicy
    private var askedAt: Instant?
    private var dueAt: Instant?
    private var number: UInt32 = 0
    private var isOverdue = false
    private var isOver = false
    /// When the first question was asked that has no answer, and when the answer to it was on its way.
    private var silentSince: Instant?
    private var answeredAt: Instant?
    /// When the supervisor last got turns again after it had none.
    private var sleptUntil: Instant?

    init(_ policy: HeartbeatPolicy) { self.policy = policy }

    mutating func slept(until: Instant) { sleptUntil = until }

    /// When the answer to a question will be on its way; the supervisor may hear of it later.
    mutating func answers(_ number: UInt32, at then: Instant) {
        if number == self.number { answeredAt = then }
    }

    mutating func expected(_ heart: Heartbeat, at now: Instant) throws(Violation) {
        if askedAt == nil, dueAt == nil, !isOver { dueAt = now + policy.interval }
        try check(heart, nil, nil, now)
    }

    mutating func asked(_ heart: Heartbeat, _ action: Heartbeat.Action?, at now: Instant) throws(Violation) {
        let due: Heartbeat.Action? = askedAt == nil && !isOver ? ask(now) : nil
        try check(heart, action, due, now)
    }

    mutating func answered(
        _ heart: Heartbeat, _ number: UInt32, _ action: Heartbeat.Action?, at now: Instant
    ) throws(Violation) {
        var due: Heartbeat.Action?
        if let askedAt, number == self.number, !isOver {
            if isOverdue { due = .recovered(after: now - askedAt) }
            (self.askedAt, dueAt, isOverdue, silentSince) = (nil, nil, false, nil)
        }
        try check(heart, action, due, now)
    }

    mutating func ticked(_ heart: Heartbeat, _ action: Heartbeat.Action?, at now: Instant) throws(Violation) {
        var due: Heartbeat.Action?
        if let askedAt, let deadline, now >= deadline {
            if now - deadline > Self.lateness {
                self.askedAt = now
            } else if isOverdue || policy.hard <= policy.soft {
                isOver = true
                due = .hung(now - askedAt)
            } else {
                isOverdue = true
                due = .overdue(now - askedAt)
            }
        } else if askedAt == nil, let dueAt, now >= dueAt {
            due = ask(now)
        }
        if case .hung? = action, let silentSince {
            let answer = answeredAt ?? now
            try require(
                .noFalseAlarm, answer - silentSince >= policy.hard - Self.lateness,
                "taken for hung, and it had answered after \((answer - silentSince).text)")
        }
        try check(heart, action, due, now)
        if let silentSince, !isOver {
            // Soft and hard limit, each reckoned anew once for every time that the supervisor slept.
            let since = max(silentSince, sleptUntil ?? silentSince)
            let most = policy.hard + policy.soft + Self.lateness * 2
            try require(.hangsAreSeen, now - since <= most, "silent for \((now - since).text) without an end")
        }
    }

    private mutating func ask(_ now: Instant) -> Heartbeat.Action {
        number &+= 1
        (askedAt, dueAt, silentSince, answeredAt) = (now, nil, now, nil)
        return .ask(number)
    }

    private var deadline: Instant? {
        if isOver { return nil }
        guard let askedAt else { return dueAt }
        return askedAt + (isOverdue ? policy.hard : min(policy.soft, policy.hard))
    }

    private func check(
        _ heart: Heartbeat, _ action: Heartbeat.Action?, _ due: Heartbeat.Action?, _ now: Instant
    ) throws(Violation) {
        try require(
            .heartbeatsInTime, action == due,
            "a heartbeat brings \(action.map { "\($0)" } ?? "nothing"), and due is \(due.map { "\($0)" } ?? "nothing")")
        try require(
            .heartbeatsInTime, heart.deadline == deadline,
            "the next look at the heartbeat is in \(heart.deadline.map { ($0 - now).text } ?? "no time"), and due in"
                + " \(deadline.map { ($0 - now).text } ?? "none")")
    }
}

/// One process's memory, from outside.
struct MemoryAudit {
    private let policy: MemoryPolicy
    private var isWarned = false
    private var isOver = false

    init(_ policy: MemoryPolicy) { self.policy = policy }

    mutating func saw(_ held: Int, _ action: MemoryWatch.Action?) throws(Violation) {
        var due: MemoryWatch.Action?
        let end = policy.hard + (64 << 20)
        if isOver {
        } else if held > end {
            isOver = true
            due = .end(OverMemory(held: held, limit: end))
        } else if held > policy.soft, !isWarned {
            isWarned = true
            due = .warn
        } else if isWarned, held <= policy.soft - policy.soft / 10 {
            isWarned = false
            due = .recovered
        }
        try require(
            .memoryIsBounded, action == due,
            "\(held.sizeText) held bring \(action.map { "\($0)" } ?? "nothing"), and due is"
                + " \(due.map { "\($0)" } ?? "nothing")")
    }
}
