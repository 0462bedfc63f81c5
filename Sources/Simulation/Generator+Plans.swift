import Glibc
import Supervision

/// How processes and the core behave.
extension Generator {
    /// A time of the component's policy, or one beside it by a nanosecond; or any.
    mutating func time(_ index: Int, upTo most: Duration) -> Duration {
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

    mutating func plan(_ index: Int) -> ChildPlan {
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
    mutating func shortLife(_ index: Int) -> ChildPlan {
        var plan = ChildPlan()
        plan.act = dice.chance(70) ? .exit(dice.pick([0, 1, 3, 20])) : act(index)
        plan.actsAfter = dice.chance(30) ? .zero : time(index, upTo: .seconds(dice.chance(80) ? 5 : 400))
        if dice.chance(20) { plan.ready = nil }
        if isOnEdge, dice.chance(50) { plan.exitSeen = .zero }
        return plan
    }

    mutating func corePlan(_ index: Int) -> CorePlan {
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

    mutating func holds(_ index: Int) -> ChildAct {
        let policy = setup.components[index].policy.memory
        return .holds(
            bytes: dice.pick([
                policy.soft, policy.soft + 1, policy.soft * 2, policy.soft - policy.soft / 10, policy.soft / 2,
                policy.hard + (64 << 20), policy.hard + (64 << 20) + 1,
            ]))
    }

    mutating func act(_ index: Int) -> ChildAct {
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
