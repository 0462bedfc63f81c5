/// Why a component is where it is: the rule that says so, what it rests on, what comes next, which command changes it.
public struct Explanation: Hashable, Sendable {
    /// One sentence.
    public let reason: String
    public let rule: String
    /// Facts, in words.
    public let evidence: [String]
    /// What happens next by itself; nil: nothing does.
    public let next: String?
    /// When that is, where it has a time.
    public let nextAt: Instant?
    /// Commands that change it, without the id, and what each does.
    public let commands: [Command]

    public struct Command: Hashable, Sendable {
        public let name: String
        public let effect: String

        init(_ name: String, _ effect: String) {
            self.name = name
            self.effect = effect
        }
    }
}

extension ComponentMachine {
    /// Every state and phase has its sentence.
    public func explanation(at now: Instant) -> Explanation {
        switch state {
        case .down(let verdict): down(verdict)
        case .starting(let life, let phase): starting(life, phase, now)
        case .running(let life, _, let readyAt): running(life, readyAt, now)
        case .closing(let closing): self.closing(closing, now)
        case .waiting(let until, let verdict): waiting(until, verdict, now)
        case .failed(let failure): failed(failure)
        }
    }

    static let start = Explanation.Command("start", "starts it now, with a fresh budget of restarts")
    private static let stop = Explanation.Command("stop", "closes it and keeps it down")
    private static let restart = Explanation.Command("restart", "closes it and starts it anew, with a fresh budget")
    private static let kill = Explanation.Command(
        "kill", "ends its process at once; its restart type says what follows")

    private func down(_ verdict: Verdict?) -> Explanation {
        guard !isShuttingDown else {
            return Explanation(
                reason: "it is down because the platform shuts down, or its user logs out",
                rule: "nothing is started during a shutdown", evidence: ended(verdict), next: nil, nextAt: nil,
                commands: [])
        }
        switch (wanted, verdict) {
        case (.downByUser, _):
            return Explanation(
                reason: "it is down because the user stopped it",
                rule: "what the user stopped only the user starts: demands of apps are refused",
                evidence: ended(verdict),
                next: nil, nextAt: nil, commands: [Self.start])
        case (.up, _), (.down, nil):
            return Explanation(
                reason: "it is down because nobody has needed it yet",
                rule: "a component that does not start with the system starts when an app calls its service",
                evidence: [], next: "the next call of its service starts it", nextAt: nil, commands: [Self.start])
        case (.down, let verdict?):
            let type = spec.policy.restart
            return Explanation(
                reason:
                    "it is down because its last life ended (\(verdict.cause.rawValue)) and nothing asks for another",
                rule: spec.isForOneConnection
                    ? "an instance for one connection is never restarted"
                    : "\(type.rawValue): \(type.rule)", evidence: ended(verdict),
                next: "the next call of its service starts it", nextAt: nil, commands: [Self.start])
        }
    }

    private func starting(_ life: Life, _ phase: StartPhase, _ now: Instant) -> Explanation {
        let (reason, rule): (String, String) =
            switch phase {
            case .launching:
                (
                    "it is starting: the core was asked to launch it and has not answered yet",
                    "the core has \(Self.coreAnswerLimit.text) for that; then the start counts as a death"
                )
            case .queued:
                (
                    "it is starting: it waits in line for a start slot",
                    "only so many components start at once (2 for each processor); each of those has limits of its own"
                )
            case .code:
                (
                    "it is starting: the core reads its code and makes its port",
                    "the core has \(Self.coreAnswerLimit.text) for that; then the start counts as a death"
                )
            case .spawning:
                ("it is starting: its process is being made", startRule)
            case .booting(let child, .spawned, _):
                ("it is starting: its process \(child.pid) runs and has not said hello yet", startRule)
            case .booting(let child, .hello, _):
                ("it is starting: its process \(child.pid) loads the engine and the platform's scripts", startRule)
            case .booting(let child, .preloaded, _):
                (
                    "it is starting: its code runs in process \(child.pid) and has not come to its first suspension yet",
                    startRule
                )
            }
        return Explanation(
            reason: reason, rule: rule,
            evidence: ["this life, number \(life.generation), began \((now - life.began).text) ago"] + budgetFact(now),
            next: deadline == nil ? nil : "if it does not come further, the start is given up", nextAt: deadline,
            commands: [Self.stop, Self.restart, Self.kill])
    }

    private var startRule: String {
        "startTimeout: it must be ready \(spec.policy.startTimeout.text) after its process was made"
    }

    private func running(_ life: Life, _ readyAt: Instant, _ now: Instant) -> Explanation {
        Explanation(
            reason: wanted == .up ? "it runs and is wanted" : "it runs, though nothing asks for it any more",
            rule: "after an end: \(spec.policy.restart.rawValue): \(spec.policy.restart.rule)",
            evidence: ["it has been ready for \((now - readyAt).text), in life number \(life.generation)"]
                + budgetFact(now), next: nil, nextAt: nil, commands: [Self.stop, Self.restart, Self.kill])
    }

    private func closing(_ closing: Closing, _ now: Instant) -> Explanation {
        let why = closing.cause
        let follows =
            switch closing.next {
            case .startAtOnce: "then it is started anew"
            case .demanded: "then it is started again, as an app asked for it meanwhile"
            case .byRule where wanted == .up: "then its restart type says what follows"
            case .byRule: "then it is down"
            }
        var evidence = closing.signals.map { "the supervisor sent \(signalName($0))" } + budgetFact(now)
        if let reported = closing.life.reported { evidence.insert("it reported: \(reported.message)", at: 0) }
        let (reason, rule, next): (String, String, String) =
            switch closing.process {
            case .none:
                (
                    "it is closing\(why): the core closes its port", "there is no process; the core's word is awaited",
                    follows
                )
            case .spawning:
                (
                    "it is closing\(why): its process is being made, and ends as soon as it is there",
                    "a start that is not wanted any more is ended at its next step", follows
                )
            case .alive(let pid, .terminate):
                (
                    "it is closing\(why): its process \(pid) has not ended yet",
                    "stopGrace: it has \(spec.policy.stopGrace.text) to end by itself (\(spec.policy.killAfter.text) after a"
                        + " failure)", "SIGTERM, if it has not ended by then; \(follows)"
                )
            case .alive(let pid, .kill):
                (
                    "it is closing\(why): its process \(pid) has not ended yet",
                    "SIGKILL \(spec.policy.killAfter.text) after a signal that did not end it, and again, until the kernel"
                        + " shows its end", "SIGKILL, if it has not ended by then; \(follows)"
                )
            case .exited(let status):
                (
                    "it is closing\(why): its process has ended (\(status)), and the core handles what it had sent",
                    "the core knows of an end before anything else happens; one that gives no turn ends the platform",
                    follows
                )
            }
        return Explanation(
            reason: reason, rule: rule, evidence: evidence, next: next, nextAt: deadline,
            commands: (closing.isAlive ? [Self.kill] : [])
                + (isShuttingDown
                    ? [] : [Self.start, Self.stop].filter { $0 != (wanted == .up ? Self.start : Self.stop) }))
    }

    private func waiting(_ until: Instant, _ verdict: Verdict, _ now: Instant) -> Explanation {
        let backoff = spec.policy.backoff
        return Explanation(
            reason: "it waits for its next start, because its last life ended (\(verdict.cause.rawValue))",
            rule:
                "\(spec.policy.restart.rawValue): \(spec.policy.restart.rule); the delays grow from \(backoff.first.text)"
                + " by a factor of \(backoff.factor) to \(backoff.max.text), until a life was ready for"
                + " \(healthyPeriod.text)",
            evidence: ended(verdict) + budgetFact(now), next: "it is started", nextAt: until,
            commands: [Self.start, Self.stop])
    }

    private func failed(_ failure: Failure) -> Explanation {
        switch failure {
        case .quarantined(let verdict, let most, let period):
            Explanation(
                reason: "it has failed: it is quarantined after \(most) restarts within \(period.text)",
                rule: "maxRestarts and period: one restart more would have been too many", evidence: ended(verdict),
                next: nil, nextAt: nil, commands: [Self.start, Self.stop])
        case .permanentFault(let verdict):
            Explanation(
                reason: "it has failed: another try would end the same (\(verdict.cause.rawValue))",
                rule: "faults of the code are not tried again before somebody has mended them",
                evidence: ended(verdict),
                next: nil, nextAt: nil, commands: [Self.start, Self.stop])
        }
    }

    private func ended(_ verdict: Verdict?) -> [String] {
        guard let verdict else { return [] }
        return ["its last life: \(verdict.text) (\(verdict.cause.rawValue), \(verdict.certainty.rawValue))"]
    }

    private func budgetFact(_ now: Instant) -> [String] {
        guard !spec.isForOneConnection else { return [] }
        let used = restartsInPeriod(at: now)
        return ["\(used) of \(spec.policy.maxRestarts) restarts within \(spec.policy.period.text) are used"]
    }
}

extension RestartType {
    var rule: String {
        switch self {
        case .permanent: "restarted after every end, unless it was told to close"
        case .transient: "restarted after an abnormal end only"
        case .temporary: "never restarted by rule; a call of its service starts it again"
        }
    }
}

extension Closing {
    /// What has begun it, for a sentence: `, as the user (…) stopped it`.
    fileprivate var cause: String {
        switch imposed {
        case .stop(.core): ", as the core closes it"
        case .stop(let by): ", as it was stopped by \(by)"
        case .restart(let by): ", to be restarted by \(by)"
        case .shutdown: ", as the platform shuts down"
        case .logout: ", as the user logs out"
        case .kill(_, let by): ", killed by \(by)"
        case .startTimeout: ", as it was not ready in time"
        case .launchTimeout, .prepareTimeout: ", as the core did not answer in time"
        case .launchFailed, .spawnFailed: ", as its start failed"
        case .code(.unreadable): ", as its code could not be read"
        case .code: ", as its code cannot be used"
        case .protocolViolation: ", as it broke the protocol"
        case .hung: ", as it gave no turn"
        case .overMemory: ", as it held more memory than it may"
        case nil:
            if life.reported != nil {
                ", as it failed"
            } else if case .closed(.endOfFile) = port {
                ", as its connection to the core ended"
            } else if case .exited = process {
                ""
            } else {
                ", by itself"
            }
        }
    }
}
