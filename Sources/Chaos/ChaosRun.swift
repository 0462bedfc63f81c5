public import Control
public import Supervision

/// One run of a scenario: decides what is asked and done next, and judges what came of it. Decides; never acts, and has no
/// clock: a driver performs the actions, and calls again with what happened, and at `wakeAt`.
public struct ChaosRun {
    public enum Event: Sendable {
        case began
        case tick
        case prepared(CallAnswer)
        case probed(Int, ProbeAnswer)
        case called(load: Int, client: Int, CallAnswer)
        case found(load: Int, CallAnswer)
        case acted(Int, ActAnswer)
        case seen(Sighting)
        /// What is still injected after everything was to be undone, in words.
        case rolledBack(stillThere: [String])
        /// The supervisor does not answer any more; why, in words.
        case gone(String)
        case interrupted(signal: Int32)
    }

    public enum Action: Equatable, Sendable {
        case prepare(CallSpec)
        case ask(Int, ProbeQuestion)
        case call(load: Int, client: Int, CallSpec)
        case find(load: Int, CallSpec)
        case act(Int, ActionPlan.Deed, seed: UInt64)
        /// Undo these faults.
        case rollBack(faults: Set<Int>)
        case end
    }

    enum Phase: Equatable {
        case idle
        case preparing(next: Int)
        /// Everything has to hold once before anything is done.
        case steadying(until: Instant)
        case acting(until: Instant)
        /// Nothing new is begun; what is under way ends.
        case draining
        case rollingBack(then: Outcome?)
        /// Everything has to hold again.
        case settling(until: Instant)
        case ended(Outcome)
    }

    static let pause = Duration.milliseconds(200)

    public let scenario: Scenario
    let steps: [Step]
    var phase = Phase.idle
    var values: [String: JSONValue] = [:]
    var probes: [ProbeRecord]
    var loads: [LoadRecord]
    var deeds: [DeedRecord]
    var recoveries = Recoveries()
    var timeline = ChaosTimeline()
    var baseline: SupervisorFigures?
    var stillInjected: [String] = []
    var eventsMissed = 0
    /// It has said that it ends.
    private var closes = false
    private var isPreparing = false
    private var nextStep = 0
    private var deedsUnderWay = 0
    /// Of each fault that was injected, by its number.
    private var plans: [Int: Int] = [:]
    /// How often faults were applied, anybody's.
    private var applied: [Int: Int] = [:]
    /// The time to settle is over; what is under way is waited for.
    private var isPastEnd = false

    /// - Parameter mark: a word that no other run has: what this one writes has it in its names.
    public init(_ scenario: Scenario, seed: UInt64, mark: String) {
        self.scenario = scenario
        steps = Timeline.steps(of: scenario.actions, seed: seed)
        probes = scenario.probes.map(ProbeRecord.init)
        loads = scenario.loads.map { LoadRecord($0, mark: mark) }
        deeds = scenario.actions.map(DeedRecord.init)
    }

    public var outcome: Outcome? {
        if case .ended(let outcome) = phase { outcome } else { nil }
    }

    public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        if case .ended = phase { return [] }
        var actions: [Action] = []
        switch event {
        case .began:
            timeline.note(now, .phase, "run \(scenario.name)")
            phase = .preparing(next: 0)
        case .tick: break
        case .prepared(let answer): prepared(answer, now, &actions)
        case .probed(let index, let answer): probed(index, answer, now)
        case .called(let load, let client, let answer):
            if let problem = loads[load].answered(client, answer, at: now) {
                timeline.note(now, .problem, "\(scenario.loads[load].name): \(problem)")
            }
        case .found(let load, let answer): loads[load].found(answer, at: now)
        case .acted(let index, let answer): acted(index, answer, now, &actions)
        case .seen(let sighting): seen(sighting, now)
        case .rolledBack(let stillThere): rolledBack(stillThere, now, &actions)
        case .gone(let reason): gone(reason, now, &actions)
        case .interrupted(let signal):
            timeline.note(now, .phase, "interrupted")
            abort(.interrupted(signal: signal), now, &actions)
        }
        advance(now, &actions)
        return actions
    }

    /// When the driver has to call again, if nothing happens before. Nil = whenever something happens.
    public var wakeAt: Instant? {
        switch phase {
        case .idle, .preparing, .draining, .rollingBack, .ended: nil
        case .steadying(let until): ([until] + probes.compactMap(\.nextAt)).min()
        case .acting(let until):
            ([until] + probes.compactMap(\.nextAt) + loads.compactMap(\.nextAt)
                + (nextStep < steps.count ? [timeline.start + steps[nextStep].at] : [])).min()
        case .settling where isPastEnd: nil
        case .settling(let until):
            ([until] + probes.compactMap(\.nextAt) + loads.compactMap(\.nextFindAt)).min()
        }
    }

    private mutating func prepared(_ answer: CallAnswer, _ now: Instant, _ actions: inout [Action]) {
        guard case .preparing(let index) = phase else { return }
        isPreparing = false
        let preparation = scenario.preparations[index]
        guard case .returned(let value) = answer.outcome else {
            let call = "\(preparation.call.service).\(preparation.call.method)"
            return abort(
                .couldNotRun("\(call), which prepares ${\(preparation.variable)}, \(answer.outcome.words)", .failed),
                now, &actions)
        }
        guard let wanted = preparation.member.map({ value[$0] }) ?? value else {
            let problem = "the result of \(preparation.call.service).\(preparation.call.method) has no member "
            return abort(.couldNotRun("\(problem)\"\(preparation.member ?? "")\"", .failed), now, &actions)
        }
        values[preparation.variable] = wanted
        phase = .preparing(next: index + 1)
    }

    private mutating func probed(_ index: Int, _ answer: ProbeAnswer, _ now: Instant) {
        let problem = scenario.probes[index].problem(with: answer, baseline: baseline, values)
        if case .figures(let figures) = answer, case .steadying = phase, problem == nil { baseline = figures }
        let isNews = probes[index].take(problem, during: phase.probePhase, at: now)
        if isNews {
            timeline.note(
                now, problem == nil ? .probe : .problem,
                "\(scenario.probes[index].name): \(problem ?? "holds again")")
        }
    }

    private mutating func acted(_ index: Int, _ answer: ActAnswer, _ now: Instant, _ actions: inout [Action]) {
        deedsUnderWay -= 1
        let plan = steps[index].plan
        deeds[plan].take(answer)
        switch answer {
        case .done(let components):
            timeline.note(now, .deed, "\(deeds[plan].name): \(components.joined(separator: ", "))")
        case .injected(let fault):
            plans[fault] = plan
            timeline.note(now, .deed, "\(deeds[plan].name): fault \(fault)")
        case .nothing(let why): timeline.note(now, .deed, "\(deeds[plan].name): nothing done, \(why)")
        case .refused(let error):
            timeline.note(now, .problem, "\(deeds[plan].name): \(error.message)")
            abort(.couldNotRun("\(deeds[plan].name): \(error.message)", error.exitCode), now, &actions)
        }
    }

    private mutating func seen(_ sighting: Sighting, _ now: Instant) {
        switch sighting {
        case .closes: closes = true
        case .missed(let count): eventsMissed += count
        case .applied(let fault, let component):
            // It may be seen before the answer to the injection.
            applied[fault, default: 0] += 1
            timeline.note(now, .deed, "fault \(fault) is applied\(component.map { " to \($0)" } ?? "")")
        case .notApplied(let fault, let reason):
            timeline.note(now, .problem, "fault \(fault) cannot be applied: \(reason)")
        case .died, .running, .down, .failed:
            switch phase {
            case .acting, .draining, .rollingBack, .settling:
                if let text = recoveries.take(sighting, at: now) { timeline.note(now, text.kind, text.text) }
            case .idle, .preparing, .steadying, .ended: break
            }
        }
    }

    private mutating func rolledBack(_ stillThere: [String], _ now: Instant, _ actions: inout [Action]) {
        guard case .rollingBack(let outcome) = phase else { return }
        stillInjected = stillThere
        if let outcome {
            end(outcome, &actions)
        } else {
            timeline.note(now, .phase, "everything is undone; it has \(scenario.settle.text) to be as before")
            phase = .settling(until: now + scenario.settle)
            for index in probes.indices { probes[index].begin(.after, at: now) }
            for index in loads.indices { loads[index].beginFind(at: now) }
        }
    }

    private mutating func gone(_ reason: String, _ now: Instant, _ actions: inout [Action]) {
        timeline.note(now, .problem, closes ? "the supervisor was ended" : "the supervisor has gone: \(reason)")
        if !closes { supervisorIsGone = reason }
        end(
            closes
                ? .couldNotRun("the supervisor was ended in the middle of it; it undoes what was injected", .notRunning)
                : .broken, &actions)
    }

    /// Why the supervisor does not answer any more, though nobody ended it.
    public private(set) var supervisorIsGone: String?

    private mutating func abort(_ outcome: Outcome, _ now: Instant, _ actions: inout [Action]) {
        if case .rollingBack = phase {
            phase = .rollingBack(then: outcome)
            return
        }
        phase = .rollingBack(then: outcome)
        actions.append(.rollBack(faults: Set(plans.keys)))
    }

    private mutating func end(_ outcome: Outcome, _ actions: inout [Action]) {
        phase = .ended(outcome)
        actions.append(.end)
    }
}

extension ChaosRun {
    /// Whatever is due by now.
    private mutating func advance(_ now: Instant, _ actions: inout [Action]) {
        switch phase {
        case .idle, .rollingBack, .ended: return
        case .preparing(let next):
            guard !isPreparing else { return }
            guard next == scenario.preparations.count else {
                isPreparing = true
                return actions.append(.prepare(scenario.preparations[next].call.filled(with: values)))
            }
            phase = .steadying(until: now + scenario.settle)
            for index in probes.indices { probes[index].begin(.before, at: now) }
            advance(now, &actions)
        case .steadying(let until):
            if probes.allSatisfy(\.isSettled) {
                begin(now)
                return advance(now, &actions)
            }
            if now >= until, let index = probes.firstIndex(where: { !$0.isSettled }) {
                let problem = probes[index].problem ?? "it was not answered"
                return abort(
                    .couldNotRun(
                        "not steady before anything was done: \(scenario.probes[index].name): \(problem)", .failed),
                    now,
                    &actions)
            }
            askProbes(now, &actions)
        case .acting(let until):
            guard now < until else {
                phase = .draining
                for index in probes.indices { probes[index].rest() }
                return advance(now, &actions)
            }
            while nextStep < steps.count, timeline.start + steps[nextStep].at <= now {
                let step = steps[nextStep]
                deedsUnderWay += 1
                actions.append(.act(nextStep, scenario.actions[step.plan].deed, seed: step.seed))
                nextStep += 1
            }
            for load in loads.indices {
                for (client, call) in loads[load].due(now, values) {
                    actions.append(.call(load: load, client: client, call))
                }
            }
            askProbes(now, &actions)
        case .draining:
            guard deedsUnderWay == 0, !probes.contains(where: \.isAsked), loads.allSatisfy({ $0.underWay == 0 }) else {
                return
            }
            timeline.note(now, .phase, "the actions are over")
            phase = .rollingBack(then: nil)
            actions.append(.rollBack(faults: Set(plans.keys)))
        case .settling(let until): settle(until, now, &actions)
        }
    }

    private mutating func begin(_ now: Instant) {
        timeline.begin(now)
        timeline.note(now, .phase, "everything holds; the actions begin, for \(scenario.duration.text)")
        phase = .acting(until: now + scenario.duration)
        for index in probes.indices { probes[index].begin(.during, at: now) }
        for index in loads.indices { loads[index].begin(at: now) }
    }

    private mutating func settle(_ until: Instant, _ now: Instant, _ actions: inout [Action]) {
        let isUnderWay = probes.contains(where: \.isAsked) || loads.contains(where: \.isFinding)
        let holds = probes.allSatisfy(\.isSettled) && loads.allSatisfy(\.isSettled) && recoveries.pending.isEmpty
        if holds || (now >= until && !isUnderWay) {
            let outcome: Outcome
            for (fault, plan) in plans { deeds[plan].applied? += applied[fault] ?? 0 }
            if let deed = deeds.first(where: { !$0.hadEffect }), eventsMissed == 0 {
                outcome = .couldNotRun(
                    "\(deed.name) was never done\(deed.lastReason.map { ": \($0)" } ?? "")", .failed)
            } else {
                outcome = promises.allSatisfy(\.holds) ? .held : .broken
            }
            timeline.note(now, .phase, outcome == .held ? "everything holds" : "it is over")
            return end(outcome, &actions)
        }
        isPastEnd = now >= until
        guard !isPastEnd else { return }
        askProbes(now, &actions)
        for index in loads.indices {
            if let call = loads[index].dueFind(now, values) { actions.append(.find(load: index, call)) }
        }
    }

    private mutating func askProbes(_ now: Instant, _ actions: inout [Action]) {
        for index in probes.indices where probes[index].ask(now) {
            actions.append(.ask(index, scenario.probes[index].question(values)))
        }
    }
}

extension ChaosRun.Phase {
    fileprivate var probePhase: Probe.Phase? {
        switch self {
        case .steadying: .before
        case .acting, .draining: .during
        case .settling: .after
        case .idle, .preparing, .rollingBack, .ended: nil
        }
    }
}

/// How a run ended.
public enum Outcome: Equatable, Sendable {
    case held
    /// A promise was broken: the report says which.
    case broken
    /// Nothing was learned; why, and what the program ends with.
    case couldNotRun(String, ExitCode)
    case interrupted(signal: Int32)
}

/// What became of a deed.
public enum ActAnswer: Equatable, Sendable {
    /// To these components.
    case done([String])
    /// A fault is in force, by this number.
    case injected(fault: Int)
    /// There was nothing to do it to.
    case nothing(String)
    /// It may not or cannot be done, now or later.
    case refused(ControlError)
}

/// What the supervisor's journal tells of.
public enum Sighting: Equatable, Sendable {
    case died(component: String, cause: String)
    case running(component: String)
    /// It stays down by its rules.
    case down(component: String)
    /// The supervisor has given it up; why.
    case failed(component: String, reason: String)
    case applied(fault: Int, component: String?)
    case notApplied(fault: Int, reason: String)
    /// The supervisor was told to end.
    case closes
    /// So many events are no longer there.
    case missed(Int)
}

extension CallAnswer.Outcome {
    var words: String {
        switch self {
        case .returned(let value): "returned \(JSONWriter.text(value).prefix(120))"
        case .rejected(let exception): "was rejected: \(ExceptionText.short(exception))"
        case .unanswered(let why): "was not answered: \(why)"
        }
    }
}
