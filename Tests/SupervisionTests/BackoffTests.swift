import Supervision
import TestSupport
import Testing

@Suite struct BackoffTests {
    @Test func theTableOfDelays() {
        var backoff = Backoff(BackoffPolicy())
        let delays = (0..<12).map { _ in backoff.delay(readyFor: nil, random: 0.5) }
        #expect(
            delays
                == [100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 60000, 60000].map(Duration.milliseconds))
    }

    @Test func theFirstRetryOfAHealthyComponentComesAtOnce() {
        var backoff = Backoff(BackoffPolicy())
        #expect(backoff.delay(readyFor: .seconds(10), random: 0.5) == .zero)
        #expect(backoff.delay(readyFor: .milliseconds(9999), random: 0.5) == .milliseconds(100))
        #expect(backoff.delay(readyFor: .seconds(10), random: 0.5) == .zero)
    }

    @Test func theHealthyPeriodGrowsWithTheDelay() {
        var backoff = Backoff(BackoffPolicy(first: .seconds(6), factor: 100, max: .seconds(1000)))
        #expect(backoff.healthyPeriod == .seconds(10))
        _ = backoff.delay(readyFor: nil, random: 0.5)
        #expect(backoff.healthyPeriod == .seconds(12))
        #expect(backoff.delay(readyFor: .milliseconds(11_999), random: 0.5) == .seconds(600))
        #expect(backoff.healthyPeriod == .seconds(600))
        #expect(backoff.delay(readyFor: .seconds(599), random: 0.5) == .seconds(1000))
        #expect(backoff.delay(readyFor: .seconds(600), random: 0.5) == .zero)
    }

    @Test func jitterStaysWithinItsPart() {
        for (random, expected) in [(0.0, 90), (0.25, 95), (0.5, 100), (0.75, 105)] {
            var backoff = Backoff(BackoffPolicy())
            let milliseconds = backoff.delay(readyFor: nil, random: random) / .milliseconds(1)
            #expect(abs(milliseconds - Double(expected)) < 0.001)
        }
    }
}

@Suite struct RestartBudgetTests {
    @Test func theWindowIsExactAtItsEdge() {
        var budget = RestartBudget(maxRestarts: 2, period: .seconds(10))
        #expect(budget.take(at: t(0)) == true)
        #expect(budget.take(at: t(5)) == true)
        #expect(budget.take(at: Instant(nanoseconds: 9_999_999_999)) == false)
        #expect(budget.take(at: t(10)) == true)
        #expect(budget.take(at: t(14)) == false)
        budget.clear()
        #expect(budget.used(at: t(14)) == 0)
        #expect(budget.take(at: t(14)) == true)
    }

    @Test func noRestartIsAllowedWithAnEmptyBudget() {
        var budget = RestartBudget(maxRestarts: 0, period: .seconds(10))
        #expect(budget.take(at: t(0)) == false)
    }

    /// Reference: the whole history, counted anew each time.
    @Test func agreesWithCountingTheWholeHistory() {
        let seed = SeededRandom.seed(for: "agreesWithCountingTheWholeHistory")
        var random = SeededRandom(seed: seed)
        for sequence in 0..<100_000 {
            let most = Int.random(in: 0...4, using: &random)
            let period = Int64.random(in: 1...6, using: &random)
            var budget = RestartBudget(maxRestarts: most, period: .nanoseconds(period))
            var history: [Int64] = []
            var now: Int64 = 0
            for _ in 0..<12 {
                now += Int64.random(in: 0...3, using: &random)
                let allowed = history.count { $0 > now - period } < most
                guard budget.take(at: Instant(nanoseconds: now)) == allowed else {
                    Issue.record("seed \(seed), sequence \(sequence): \(history), at \(now) of \(most) in \(period)")
                    return
                }
                if allowed { history.append(now) }
            }
        }
    }
}

@Suite struct StartQueueTests {
    @Test func slotsAreGivenInOrder() {
        var queue = StartQueue<String>(limit: 2)
        #expect(queue.request("a") == ["a"])
        #expect(queue.request("b") == ["b"])
        #expect(queue.request("c") == [])
        #expect(queue.request("d") == [])
        #expect(queue.waiting == 2)
        #expect(queue.release("b") == ["c"])
        #expect(queue.release("d") == [])
        #expect(queue.waiting == 0)
        #expect(queue.release("a") == [])
        #expect(queue.release("c") == [])
        #expect(queue.holding == 0)
    }

    @Test func noMoreThanTheLimitHoldASlotAndNoneIsPassedOver() {
        let seed = SeededRandom.seed(for: "noMoreThanTheLimitHoldASlotAndNoneIsPassedOver")
        var random = SeededRandom(seed: seed)
        var queue = StartQueue<Int>(limit: 3)
        var holders: Set<Int> = []
        var line: [Int] = []
        for id in 0..<2000 {
            line.append(id)
            var granted = queue.request(id)
            if Bool.random(using: &random), let gone = (Array(holders) + line).randomElement(using: &random) {
                for id in granted { line.removeAll { $0 == id } }
                holders.formUnion(granted)
                holders.remove(gone)
                line.removeAll { $0 == gone }
                granted = queue.release(gone)
            }
            #expect(granted == Array(line.prefix(granted.count)))
            line.removeFirst(granted.count)
            holders.formUnion(granted)
            #expect(holders.count == min(3, holders.count + line.count))
            #expect(queue.holding == holders.count && queue.waiting == line.count)
        }
    }
}

@Suite struct NameTests {
    @Test func idsAreWrittenAsPinned() {
        let id = ComponentID(appDomain: "chat.app", entrypoint: "/a/b.mjs")
        #expect(id.description == "chat.app/a/b.mjs")
        #expect(ComponentID(appDomain: "chat.app", entrypoint: "/a.mjs", instance: 2).description == "chat.app/a.mjs#2")
    }

    @Test func aDurationNeverWakesEarly() {
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1).nanoseconds == 1_000_000_001)
        #expect(t(1) + .milliseconds(5) == t(1.005))
        #expect(t(3) - t(1) == .seconds(2))
    }
}
