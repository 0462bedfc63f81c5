import Supervision
import TestSupport
import Testing

@Suite struct ForecastTests {
    private func lives(
        _ restart: RestartType = .permanent, _ ending: PolicyForecast.Ending = .crash, readyFor: [Duration] = [.zero],
        most: Int = 50, change: (inout RestartPolicy) -> Void = { _ in }
    ) -> [PolicyForecast.Life] {
        var policy = RestartPolicy(restart: restart)
        change(&policy)
        let id = ComponentID(appDomain: "a.b", entrypoint: "/c.mjs")
        return PolicyForecast.lives(
            of: ComponentSpec(id: id, policy: policy), ending: ending, readyFor: readyFor, most: most)
    }

    /// The documented default: ten restarts, delays of 100 ms doubling up to 60 s, quarantine after about 100 s.
    @Test func aCrashLoopIsQuarantinedAfterTenRestarts() {
        let lives = lives()
        let delays = lives.map { life -> Duration? in if case .restart(let delay) = life.next { delay } else { nil } }
        let expected: [Duration] = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200].map {
            .milliseconds($0)
        }
        #expect(delays == expected + [nil])
        #expect(lives.last?.next == .quarantined)
        #expect(lives.last?.startsAt == .milliseconds(102_300))
        #expect(lives.allSatisfy { $0.verdict == "exited with 1" })
    }

    @Test func aLifeThatWasHealthyIsFollowedAtOnce() {
        let lives = lives(readyFor: [.seconds(30), .zero], most: 3)
        #expect(lives.map(\.next) == [.zero, .milliseconds(100), .milliseconds(200)].map { .restart(after: $0) })
        #expect(lives[1].startsAt == .seconds(30))
    }

    @Test(arguments: [
        (RestartType.permanent, PolicyForecast.Ending.close, false), (.transient, .close, true),
        (.transient, .crash, false), (.temporary, .crash, true), (.temporary, .close, true),
        (.permanent, .startTimeout, false),
    ])
    func theRestartTypeDecides(restart: RestartType, ending: PolicyForecast.Ending, isDown: Bool) {
        let lives = lives(restart, ending, most: 2)
        #expect((lives.first?.next == .down) == isDown)
        #expect(lives.count == (isDown ? 1 : 2))
    }

    @Test func aStartThatHangsTakesItsTimeOut() {
        let lives = lives(.permanent, .startTimeout, most: 1) { $0.startTimeout = .seconds(3) }
        #expect(lives.first?.endsAt == .seconds(3))
    }

    /// Against random patterns of deaths: none has more restarts within the period than the bound.
    @Test func noPatternBeatsTheBound() {
        var random = SeededRandom(seed: SeededRandom.seed(for: "noPatternBeatsTheBound"))
        for _ in 0..<60 {
            var policy = RestartPolicy(
                restart: .permanent, maxRestarts: .max, period: .seconds(.random(in: 1...600, using: &random)))
            policy.backoff = BackoffPolicy(
                first: .milliseconds(.random(in: 1...(Bool.random(using: &random) ? 20 : 20_000), using: &random)),
                factor: .random(in: 1...4, using: &random),
                max: .milliseconds(.random(in: 20_000...120_000, using: &random)), jitter: 0)
            let streak = Int.random(in: 0...(Bool.random(using: &random) ? 12 : 300), using: &random)
            if streak > 12 { policy.backoff.max = policy.backoff.first }
            var backoff = Backoff(policy.backoff)
            var now = Duration.zero
            var restarts: [Duration] = []
            while restarts.count < 400 {
                for _ in 0..<streak {
                    now += backoff.delay(readyFor: nil, random: 0)
                    restarts.append(now)
                }
                now += backoff.healthyPeriod
                now += backoff.delay(readyFor: backoff.healthyPeriod, random: 0)
                restarts.append(now)
            }
            let most = restarts.map { end in restarts.count { $0 <= end && $0 > end - policy.period } }.max() ?? 0
            #expect(most <= policy.mostRestartsInPeriod, "\(policy)")
        }
    }
}
