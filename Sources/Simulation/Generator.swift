import Glibc
import Supervision

/// Makes a setup and its inputs from a seed.
struct Generator {
    /// What core, kernel and spawn take at most beyond the times of a policy.
    static let slowest = Duration.seconds(180)

    var dice: Dice
    let setup: Setup
    /// Half of the runs: times are those of the policies, to the nanosecond, so that things meet.
    let isOnEdge: Bool

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

    static func policy(_ restart: RestartType, _ dice: inout Dice) -> RestartPolicy {
        var policy = RestartPolicy(restart: restart)
        policy.background = dice.pick([.always, .always, .always, .windowed, .windowed, .push, .foreground])
        policy.restart = policy.background.restart(restart)
        if dice.chance(35) { return policy }
        policy.window = WindowPolicy(
            every: dice.timeOfAnySize(.seconds(30), .seconds(7200)),
            length: dice.timeOfAnySize(.seconds(5), .seconds(1200)), maxLoad: dice.pick([0.5, 1]),
            power: dice.pick(WindowPolicy.Power.allCases))
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

    mutating func anyComponent() -> Int { dice.below(setup.components.count) }
}
