internal import Supervision

/// Where a run is with one probe.
struct ProbeRecord: Equatable {
    private let probe: Probe
    private var phase: Probe.Phase?
    private(set) var isAsked = false
    /// When it is asked next; nil = it is not, for now.
    private(set) var nextAt: Instant?
    /// What was wrong with the last answer.
    private(set) var problem: String?
    /// Of the answers while actions went on.
    private(set) var asked = 0
    private(set) var held = 0
    private(set) var firstProblem: String?
    /// It has held in the present phase.
    private var hasHeld = false
    /// Nil = it was not to be asked afterwards, or was not.
    private(set) var holdsAfter: Bool?

    init(_ probe: Probe) { self.probe = probe }

    /// It need not be asked any more in this phase.
    var isSettled: Bool { hasHeld || phase.map { !probe.phases.contains($0) } ?? true }

    mutating func begin(_ phase: Probe.Phase, at now: Instant) {
        self.phase = phase
        hasHeld = false
        nextAt = probe.phases.contains(phase) && !isAsked ? now : nil
        if phase == .after, probe.phases.contains(.after) { holdsAfter = false }
    }

    /// Nothing more is asked in this phase.
    mutating func rest() { nextAt = nil }

    /// True when it is due: then it is being asked.
    mutating func ask(_ now: Instant) -> Bool {
        guard !isAsked, let due = nextAt, due <= now else { return false }
        isAsked = true
        nextAt = phase == .during ? now + probe.every : nil
        return true
    }

    /// True when the answer differs from the one before.
    mutating func take(_ problem: String?, during phase: Probe.Phase?, at now: Instant) -> Bool {
        isAsked = false
        let isNews = (problem == nil) != (self.problem == nil)
        self.problem = problem
        guard let phase, phase == self.phase else { return false }
        switch phase {
        case .during:
            asked += 1
            if problem == nil { held += 1 }
            if firstProblem == nil { firstProblem = problem }
        case .before, .after:
            hasHeld = problem == nil
            nextAt = hasHeld ? nil : now + ChaosRun.pause
            if phase == .after { holdsAfter = hasHeld }
        }
        return isNews && phase != .before
    }

    /// What was promised and is not so; nil = it holds.
    var broken: String? {
        if probe.phases.contains(.during), asked > 0 || holdsAfter != nil {
            let share = asked == 0 ? 0 : Double(held) / Double(asked)
            if share < probe.share {
                return asked == 0
                    ? "was not answered while actions went on"
                    : "held in \(held) of \(asked) answers while actions went on: \(firstProblem ?? "")"
            }
        }
        if holdsAfter == false { return "does not hold afterwards: \(problem ?? "not answered")" }
        return nil
    }
}
