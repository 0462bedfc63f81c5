import Glibc
import Supervision

/// Makes a setup and its inputs from a seed.
struct Generator {
    /// What core, kernel and spawn take at most beyond the times of a policy.
    static let slowest = Duration.seconds(180)

    private var dice: Dice
    private let setup: Setup
    /// Half of the runs: times are those of the policies, to the nanosecond, so that things meet.
    private let isOnEdge: Bool

    // MARK: Setup

    static func setup(seed: UInt64, components given: [Setup.Component]?) -> Setup {
        var dice = Dice(seed: Dice.mix(seed))
        let isLocal = dice.chance(30)
        let expected = !isLocal && dice.chance(20) ? Setup.users[0] : nil
        let heartbeat = HeartbeatPolicy(interval: .seconds(10), hard: .seconds(60))
        let slots = 1 + dice.below(4)
        let components = given ?? (0...dice.below(6)).map { component($0, &dice) }
        return Setup(
            seed: seed, components: components, slots: slots, isLocal: isLocal, expectedUser: expected,
            coreHeartbeat: dice.chance(70)
                ? heartbeat : HeartbeatPolicy(interval: .seconds(1), soft: .seconds(3), hard: .seconds(9)))
    }

    private static func component(_ index: Int, _ dice: inout Dice) -> Setup.Component {
        let isInstance = dice.chance(15)
        let id = ComponentID(appDomain: "app.test", entrypoint: "/\(index).mjs", instance: isInstance ? 1 : 0)
        let restart = dice.pick(RestartType.allCases)
        return Setup.Component(
            id: id, policy: policy(restart, &dice), startsWithSystem: !isInstance && dice.chance(70))
    }

    private static func policy(_ restart: RestartType, _ dice: inout Dice) -> RestartPolicy {
        var policy = RestartPolicy(restart: restart)
        if dice.chance(35) { return policy }
        policy.maxRestarts = dice.below(8)
        policy.period = dice.timeOfAnySize(.seconds(1), .seconds(3600))
        policy.startTimeout = dice.timeOfAnySize(.seconds(1), .seconds(60))
        policy.stopGrace = dice.timeOfAnySize(.milliseconds(100), .seconds(30))
        policy.killAfter = dice.timeOfAnySize(.milliseconds(100), .seconds(10))
        policy.backoff = BackoffPolicy(
            first: dice.chance(10) ? .zero : dice.timeOfAnySize(.milliseconds(1), .seconds(10)),
            factor: dice.pick([1, 1.5, 2, 4]), max: dice.timeOfAnySize(.seconds(10), .seconds(600)),
            jitter: dice.pick([0, 0, 0.1, 0.5, 1]))
        policy.heartbeat = HeartbeatPolicy(
            interval: dice.timeOfAnySize(.seconds(1), .seconds(60)),
            soft: dice.timeOfAnySize(.seconds(1), .seconds(30)),
            hard: dice.timeOfAnySize(.seconds(2), .seconds(120)))
        return policy
    }

    // MARK: Inputs

    static func inputs(_ setup: Setup, until end: Instant) -> [Input] {
        var dice = Dice(seed: Dice.mix(setup.seed ^ 0x5EED))
        let isOnEdge = dice.chance(50)
        // Between bursts, on average.
        let gap: Duration = dice.pick([.seconds(30), .seconds(120), .seconds(300), .seconds(1200)])
        var generator = Generator(dice: dice, setup: setup, isOnEdge: isOnEdge)
        var inputs: [Input] = []
        var now = Instant(nanoseconds: 0)
        while true {
            now = now + generator.dice.time(upTo: gap * 2)
            guard now < end else { break }
            var moment = now
            for what in generator.burst() {
                inputs.append(Input(at: moment, what: what))
                moment = moment + generator.pause()
            }
        }
        return inputs.filter { $0.at < end }
    }

    private mutating func pause() -> Duration {
        dice.chance(25) ? .zero : dice.timeOfAnySize(.microseconds(100), .seconds(dice.chance(80) ? 2 : 60))
    }

    private mutating func anyComponent() -> Int { dice.below(setup.components.count) }

    private mutating func burst() -> [Stimulus] {
        let index = anyComponent()
        switch dice.below(15) {
        case 0, 1: return [stimulus(anyComponent())]
        case 2: return [.lives(index, shortLife(index), times: 1 + dice.below(20)), .start(index, .user("u"))]
        case 3: return (0..<(2 + dice.below(8))).map { _ in stimulus(index) }
        case 4: return (0..<(2 + dice.below(8))).map { _ in stimulus(anyComponent()) }
        case 5, 6:
            let ambushes = (0..<(1 + dice.below(3))).map { _ in ambush(index) }
            return ambushes + [.lives(index, plan(index), times: 1 + dice.below(2)), .restart(index, .user("u"))]
        case 7:
            let kind: LoginKind = dice.chance(80) ? .signIn : .signUp
            let user = dice.below(Setup.users.count)
            let logouts = [Stimulus](repeating: .logout, count: dice.chance(3) ? 70 : 1 + dice.below(2))
            return logouts + [.login(user: user, kind, loginOutcome()), .login(user: user, kind, loginOutcome())]
        case 8: return [.login(user: dice.below(Setup.users.count), .signIn, loginOutcome()), stimulus(index)]
        case 9: return race(index)
        case 10 where isOnEdge: return aPeriodLater(index)
        case 11: return (0..<(2 + dice.below(4))).map { _ in .act(index, holds(index)) }
        case 12: return givenUp()
        case 13:
            return [.traffic(index), .act(index, .hangs), .traffic(index)]
                + (0..<(2 + dice.below(4))).map { _ in .act(index, .answers(back: dice.below(3))) }
        default: return [.act(index, act(index)), stimulus(index)]
        }
    }

    /// A login that takes long, is given up by a logout, and another one.
    private mutating func givenUp() -> [Stimulus] {
        let slow = LoginOutcome(
            after: dice.timeOfAnySize(.milliseconds(500), .seconds(30)), succeeds: dice.chance(30),
            renewal: .milliseconds(10))
        let user = dice.below(Setup.users.count)
        return [.logout]
            + (0..<2).flatMap { _ in
                [.login(user: user, .signIn, slow), .logout, .login(user: user, .signIn, slow)]
            }
    }

    /// Commands that cross each other and the end of a process that takes its time.
    private mutating func race(_ index: Int) -> [Stimulus] {
        var plan = plan(index)
        plan.onStop = dice.timeOfAnySize(.milliseconds(10), .seconds(5))
        let commands = (0..<(2 + dice.below(6))).map { _ -> Stimulus in
            switch dice.below(5) {
            case 0: .start(index, requester())
            case 1: .stop(index, requester())
            case 2: .restart(index, requester())
            case 3: .demand(index)
            default: .closeByCore(index, atPort: dice.chance(50))
            }
        }
        return [.lives(index, plan, times: 1 + dice.below(3)), .restart(index, .user("u"))] + commands
    }

    /// A restart that comes when the first one is exactly a period old: the exit is seen that much before.
    private mutating func aPeriodLater(_ index: Int) -> [Stimulus] {
        let period = setup.components[index].policy.period
        let again = Stimulus.ambush(
            index, .verdict, after: period - ChildPlan().pipeEndSeen, .act(index, .exit(1)))
        return [.start(index, .user("u")), again]
            + [Stimulus](repeating: .act(index, .exit(1)), count: 1 + dice.below(3))
    }

    private mutating func loginOutcome() -> LoginOutcome {
        LoginOutcome(
            after: dice.chance(90) ? dice.timeOfAnySize(.milliseconds(10), .seconds(60)) : nil,
            succeeds: dice.chance(75),
            renewal: dice.chance(95) ? dice.timeOfAnySize(.milliseconds(10), .seconds(20)) : nil)
    }

    private mutating func requester() -> Requester {
        dice.pick([.user("u"), .user("u"), .user("u"), .core, .platform])
    }

    private mutating func stimulus(_ index: Int) -> Stimulus {
        switch dice.below(40) {
        case 0...5: return .start(index, requester())
        case 6...9: return .stop(index, requester())
        case 10...12: return .restart(index, requester())
        case 13, 14:
            return .kill(index, signal: dice.pick([SIGKILL, SIGKILL, SIGTERM, SIGTERM, SIGINT, SIGSTOP, SIGCONT]))
        case 15: return .adopt(index, Self.policy(dice.pick(RestartType.allCases), &dice))
        case 16: return .adoptType(index, dice.pick(RestartType.allCases))
        case 17: return dice.chance(15) ? .shutdown : .demand(index)
        case 18, 19: return .demand(index)
        case 20: return .closeByCore(index, atPort: dice.chance(50))
        case 21, 22: return .core(index, corePlan(index), times: 1 + dice.below(3))
        case 23: return .repeatNews(index, back: dice.below(Driver.mostNews))
        case 24, 25: return .traffic(index)
        case 26:
            return .call(
                limit: dice.timeOfAnySize(.seconds(1), .seconds(60)),
                answersAfter: dice.chance(95) ? dice.timeOfAnySize(.milliseconds(1), .seconds(600)) : nil)
        case 27: return .coreHangs(dice.chance(90) ? dice.timeOfAnySize(.milliseconds(10), .seconds(50)) : .seconds(90))
        case 28...30: return .lives(index, plan(index), times: 1 + dice.below(4))
        case 31...33: return .act(index, act(index))
        case 34: return .spawnsFail(index, errno: dice.pick([EAGAIN, ENOMEM, EMFILE]), times: 1 + dice.below(4))
        case 35:
            return .stall(dice.timeOfAnySize(.milliseconds(10), .seconds(300)), timersFirst: dice.chance(50))
        case 36: return .earlyTick(index)
        case 37, 38: return ambush(index)
        default: return .signedInUnasked(user: dice.below(Setup.users.count))
        }
    }

    private mutating func ambush(_ index: Int) -> Stimulus {
        var what = stimulus(index)
        if case .ambush = what { what = .stop(index, .user("u")) }
        return .ambush(
            index, dice.pick(Stimulus.Moment.allCases),
            after: dice.chance(40) ? .zero : time(index, upTo: .seconds(isOnEdge ? 3600 : 5)), what)
    }
}

// MARK: Plans

extension Generator {
    /// A time of the component's policy, or one beside it by a nanosecond; or any.
    private mutating func time(_ index: Int, upTo most: Duration) -> Duration {
        guard isOnEdge, dice.chance(60) else { return dice.timeOfAnySize(.microseconds(100), most) }
        let policy = setup.components[index].policy
        let time = dice.pick([
            policy.stopGrace, policy.killAfter, policy.startTimeout, policy.heartbeat.hard, policy.heartbeat.soft,
            policy.period, .seconds(10), policy.backoff.first, policy.stopGrace + policy.killAfter,
        ])
        // The last ones: what is seen of an exit a little later is seen then.
        let beside: Duration = dice.pick([
            .zero, .zero, .nanoseconds(1), .nanoseconds(-1), .microseconds(-200), .microseconds(-300),
        ])
        return min(max(time + beside, .zero), most)
    }

    private mutating func plan(_ index: Int) -> ChildPlan {
        var plan = ChildPlan()
        if dice.chance(15) { plan.spawnTakes = dice.timeOfAnySize(.milliseconds(1), .seconds(5)) }
        plan.hello = dice.chance(95) ? time(index, upTo: .seconds(dice.chance(80) ? 1 : 40)) : nil
        plan.preloaded = dice.chance(95) ? time(index, upTo: .seconds(dice.chance(80) ? 1 : 40)) : nil
        plan.ready = dice.chance(95) ? time(index, upTo: .seconds(dice.chance(80) ? 1 : 40)) : nil
        if dice.chance(15) { plan.extends = time(index, upTo: .seconds(600)) }
        if dice.chance(60) {
            plan.act = act(index)
            plan.actsAfter = dice.chance(30) ? .zero : time(index, upTo: .seconds(dice.chance(70) ? 30 : 2000))
        }
        plan.onStop = dice.chance(80) ? time(index, upTo: .seconds(20)) : nil
        plan.onTerminate = dice.chance(80) ? time(index, upTo: .seconds(5)) : nil
        plan.onKill = dice.chance(85) ? .milliseconds(1) : dice.timeOfAnySize(.milliseconds(1), .seconds(10))
        plan.exitSeen = dice.chance(70) ? .microseconds(200) : dice.timeOfAnySize(.microseconds(10), .seconds(1))
        if isOnEdge, dice.chance(50) { plan.exitSeen = .zero }
        plan.pipeEndSeen = dice.chance(70) ? .microseconds(300) : dice.timeOfAnySize(.microseconds(10), .seconds(2))
        plan.answers = dice.chance(85) ? time(index, upTo: .seconds(dice.chance(80) ? 1 : 100)) : nil
        return plan
    }

    /// One of a series: ends soon after its start, or in it.
    private mutating func shortLife(_ index: Int) -> ChildPlan {
        var plan = ChildPlan()
        plan.act = dice.chance(70) ? .exit(dice.pick([0, 1, 3, 20])) : act(index)
        plan.actsAfter = dice.chance(30) ? .zero : time(index, upTo: .seconds(dice.chance(80) ? 5 : 400))
        if dice.chance(20) { plan.ready = nil }
        if isOnEdge, dice.chance(50) { plan.exitSeen = .zero }
        return plan
    }

    private mutating func corePlan(_ index: Int) -> CorePlan {
        var plan = CorePlan()
        switch dice.below(10) {
        case 0: plan.launch = .refusal
        case 1: plan.launch = .silence
        case 2...4: plan.launchTakes = dice.timeOfAnySize(.milliseconds(1), .seconds(40))
        case 5, 6: plan.prepareTakes = dice.timeOfAnySize(.milliseconds(1), .seconds(40))
        case 7:
            plan.fault = dice.pick([
                .missing(path: "/a"), .empty(path: "/a"), .tooLarge(path: "/a", size: 2, limit: 1),
                .notUTF8(path: "/a"), .unreadable(path: "/a", "busy"), .unreadable(path: "/a", "busy"),
            ])
        default: break
        }
        if dice.chance(40) { plan.portTakes = dice.timeOfAnySize(.milliseconds(1), .seconds(20)) }
        if dice.chance(15) { plan.partialFrame = 17 }
        if dice.chance(10) { plan.violation = true }
        return plan
    }

    private mutating func holds(_ index: Int) -> ChildAct {
        let policy = setup.components[index].policy.memory
        return .holds(
            bytes: dice.pick([
                policy.soft, policy.soft + 1, policy.soft * 2, policy.soft - policy.soft / 10, policy.soft / 2,
                policy.hard + (64 << 20), policy.hard + (64 << 20) + 1,
            ]))
    }

    private mutating func act(_ index: Int) -> ChildAct {
        let exit: Duration? = dice.chance(75) ? time(index, upTo: .seconds(20)) : nil
        switch dice.below(20) {
        case 0, 1: return .exit(dice.pick([0, 1, 3, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]))
        case 2, 3:
            return .dies(
                dice.pick([SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGSYS]),
                says: dice.pick([
                    nil, .fault(address: 16), .itself, .supervisor, .kernel, .process(pid: 9, uid: 0, name: nil),
                ]))
        case 4:
            return .killedByKernel(
                dice.pick([nil, .killed(isGroup: false, line: "oom"), .killedInGroup(1), .silent]))
        case 5...7: return .report(dice.pick(ReportedFailure.Kind.allCases), thenExit: exit)
        case 8...10: return .bye(onControl: dice.chance(80), onPort: dice.chance(80), thenExit: exit)
        case 11: return .closesPipe(thenExit: exit)
        case 12: return .violatesControl
        case 13: return .violatesPort
        case 14: return .outOfOrder(dice.pick([.hello, .preloaded, nil]))
        case 15, 16: return .hangs
        case 17: return .wakes
        case 18: return dice.chance(50) ? holds(index) : .answers(back: dice.below(3))
        default: return .extendsStart(time(index, upTo: .seconds(300)))
        }
    }
}
