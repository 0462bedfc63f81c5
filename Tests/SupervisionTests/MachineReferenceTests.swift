import Glibc
import Supervision
import TestSupport
import Testing

/// The whole machine against short programs that say the same in another way.
@Suite struct MachineReferenceTests {
    /// Delays and quarantine, from the list of all restarts and of all delays.
    private struct Reference {
        let policy: RestartPolicy
        private var restarts: [Instant] = []
        private var delays: [Duration] = []

        init(_ policy: RestartPolicy) { self.policy = policy }

        /// Nil: quarantined.
        mutating func delay(endedAt now: Instant, readyFor: Duration?) -> Duration? {
            guard restarts.count(where: { now - $0 < policy.period }) < policy.maxRestarts else { return nil }
            restarts.append(now)
            let healthy = min(max((delays.last ?? .zero) * 2, .seconds(10)), .seconds(600))
            if let readyFor, readyFor >= healthy {
                delays.append(.zero)
            } else {
                // `first` after health or nothing, else grown.
                let last = delays.last ?? .zero
                delays.append(
                    min(last == .zero ? policy.backoff.first : last * policy.backoff.factor, policy.backoff.max))
            }
            return delays.last
        }
    }

    @Test func delaysAndQuarantineAreExact() async throws {
        let seed = SeededRandom.seed(for: "delaysAndQuarantineAreExact")
        var random = SeededRandom(seed: seed)
        var quarantines = 0
        for sequence in 0..<2000 {
            await Task.yield()
            var policy = RestartPolicy(restart: .permanent)
            policy.maxRestarts = Int.random(in: 0...4, using: &random)
            policy.period = .seconds(Int.random(in: 1...60, using: &random))
            policy.backoff = BackoffPolicy(
                first: .milliseconds(Int.random(in: 1...5000, using: &random)),
                factor: Double(Int.random(in: 1...4, using: &random)),
                max: .milliseconds(Int.random(in: 5000...60_000, using: &random)), jitter: 0)
            var reference = Reference(policy)
            var driver = MachineDriver { $0 = policy }
            var now = t(0)
            driver.machineHandle(.start(by: user), now)
            for life in 0..<8 {
                // Short of health, at its edge, beyond it; or never ready.
                let healthy = driver.machine.healthyPeriod
                let lasts =
                    [nil, .zero, healthy - .nanoseconds(1), healthy, healthy + .seconds(1)]
                    .randomElement(using: &random) ?? nil
                let steps = MachineDriver.boot("c\(life)").dropLast(lasts == nil ? 1 : 0)
                for event in steps { driver.machineHandle(event, now) }
                now = now + (lasts ?? .zero)
                driver.machineHandle(.exited(.exited(3)), now)
                driver.machineHandle(.portClosed(connector: "c\(life)", .endOfFile(partialFrame: 0)), now)
                switch (reference.delay(endedAt: now, readyFor: lasts), driver.machine.state) {
                case (nil, .failed(.quarantined)): quarantines += 1
                case (.some(.zero), .starting): continue
                case (let delay?, .waiting(let until, _)) where until == now + delay:
                    now = until
                    driver.machineHandle(.tick, now)
                    continue
                case (let delay, let state):
                    Issue.record(
                        "seed \(seed), sequence \(sequence), life \(life): \(String(describing: delay)), \(state)")
                    return
                }
                break
            }
        }
        #expect(quarantines > 100)
    }

    /// From any moment of any history: a user's stop takes its steps at its times, whatever the process does, and the
    /// component is down when process and port are gone, not before.
    @Test func stopsAtRandomMomentsTakeTheirStepsAtTheirTimes() async throws {
        let seed = SeededRandom.seed(for: "stopsAtRandomMomentsTakeTheirStepsAtTheirTimes")
        var random = SeededRandom(seed: seed)
        var kills = 0
        for sequence in 0..<3000 {
            await Task.yield()
            var world = MachineWorld(MachineDriver(.permanent).machine)
            do {
                for _ in 0..<Int.random(in: 0...12, using: &random) {
                    let event =
                        Int.random(in: 0..<4, using: &random) == 0
                        ? world.news.randomElement(using: &random) : world.nextOfBoot ?? world.fairNews
                    if let event { try world.apply(event) }
                }
                let wasRunning = world.machine.state.name == "running"
                let before = world.now
                var signals: [(Int32, Duration)] = []
                func look(_ actions: [ComponentAction]) {
                    for case .signal(let number) in actions { signals.append((number, world.now - before)) }
                }
                look(try world.apply(.stop(by: user)))
                for _ in 0..<20 {
                    if case .down = world.machine.state { break }
                    // The process ends by SIGKILL alone, one of them after the third.
                    let event: ComponentEvent? =
                        signals.count(where: { $0.0 == SIGKILL }) == 3 && world.machine.pid != nil
                        ? .exited(.signalled(SIGKILL)) : world.fairNews
                    guard let event else { break }
                    look(try world.apply(event))
                }
                guard case .down = world.machine.state, world.machine.wanted == .downByUser else {
                    throw MachineWorld.Complaint(description: "not down but \(world.machine.state)")
                }
                if wasRunning {
                    kills += 1
                    let expected: [(Int32, Duration)] = [
                        (SIGTERM, .seconds(5)), (SIGKILL, .seconds(7)), (SIGKILL, .seconds(9)), (SIGKILL, .seconds(11)),
                    ]
                    guard signals.elementsEqual(expected, by: { $0 == $1 }) else {
                        throw MachineWorld.Complaint(description: "signals \(signals)")
                    }
                }
            } catch {
                Issue.record("seed \(seed), sequence \(sequence): \(error)")
                return
            }
        }
        #expect(kills > 100)
    }

    /// A component that dies a thousand times in one instant: the budget holds, and each life has its verdict.
    @Test func aThousandDeathsInOneInstant() throws {
        var driver = MachineDriver { policy in
            policy.maxRestarts = 2000
            policy.backoff = BackoffPolicy(first: .nanoseconds(0), factor: 1, max: .nanoseconds(0), jitter: 0)
        }
        driver.at(0, .start(by: user))
        var verdicts = 0
        for life in 0..<1000 {
            for event in MachineDriver.boot("c\(life)") { driver.at(0, event) }
            if recorded(driver.die(0, "c\(life)", .signalled(SIGKILL))) != nil { verdicts += 1 }
        }
        #expect(verdicts == 1000 && driver.machine.restarts == 1000 && driver.machine.generation == 1001)
        #expect(driver.machine.restartsInPeriod(at: t(0)) == 1000)
    }
}

extension MachineDriver {
    fileprivate mutating func machineHandle(_ event: ComponentEvent, _ now: Instant) {
        _ = machine.handle(event, at: now, random: random)
    }
}
