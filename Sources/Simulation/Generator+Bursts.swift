import Glibc
import Supervision

/// Inputs that come close upon each other.
extension Generator {
    mutating func burst() -> [Stimulus] {
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
    mutating func givenUp() -> [Stimulus] {
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
    mutating func race(_ index: Int) -> [Stimulus] {
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
    mutating func aPeriodLater(_ index: Int) -> [Stimulus] {
        let period = setup.components[index].policy.period
        let again = Stimulus.ambush(
            index, .verdict, after: period - ChildPlan().pipeEndSeen, .act(index, .exit(1)))
        return [.start(index, .user("u")), again]
            + [Stimulus](repeating: .act(index, .exit(1)), count: 1 + dice.below(3))
    }

    mutating func loginOutcome() -> LoginOutcome {
        LoginOutcome(
            after: dice.chance(90) ? dice.timeOfAnySize(.milliseconds(10), .seconds(60)) : nil,
            succeeds: dice.chance(75),
            renewal: dice.chance(95) ? dice.timeOfAnySize(.milliseconds(10), .seconds(20)) : nil)
    }

    mutating func requester() -> Requester {
        dice.pick([.user("u"), .user("u"), .user("u"), .core, .platform])
    }

    mutating func stimulus(_ index: Int) -> Stimulus {
        switch dice.below(46) {
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
        case 40...42: return .wake(index)
        case 43, 44:
            return .conditions(
                MachineConditions(
                    load: dice.pick([nil, 0.1, 0.5, 0.7, 3]),
                    power: dice.pick([.external, .external, .battery, .noBattery])))
        case 45:
            let id = BackgroundTask.Spec.identifier(of: setup.components[index].id)
            return .permit(dice.chance(70) ? .all : PermittedTasks(identifiers: dice.chance(50) ? [id] : []))
        default: return .signedInUnasked(user: dice.below(Setup.users.count))
        }
    }

    mutating func ambush(_ index: Int) -> Stimulus {
        var what = stimulus(index)
        if case .ambush = what { what = .stop(index, .user("u")) }
        return .ambush(
            index, dice.pick(Stimulus.Moment.allCases),
            after: dice.chance(40) ? .zero : time(index, upTo: .seconds(isOnEdge ? 3600 : 5)), what)
    }
}
