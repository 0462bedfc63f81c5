import Supervision
import TestSupport
import Testing

@Suite struct HeartbeatTests {
    private let policy = HeartbeatPolicy(interval: .seconds(5), soft: .seconds(2), hard: .seconds(10))

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func asksOnceAfterTheIntervalAndRestsWhenAnswered() {
        var heart = Heartbeat(policy)
        #expect(heart.deadline == nil)
        heart.expectTurn(at: at(1))
        heart.expectTurn(at: at(3))
        #expect(heart.deadline == at(6))
        #expect(heart.tick(at: at(5.9)) == nil)
        #expect(heart.tick(at: at(6)) == .ask(1))
        #expect(heart.answered(1, at: at(6.1)) == nil)
        #expect(heart.deadline == nil)
    }

    @Test func tellsTheSoftLimitThenTheHardOne() {
        var heart = Heartbeat(policy)
        #expect(heart.ask(at: at(0)) == .ask(1))
        #expect(heart.ask(at: at(1)) == nil)
        #expect(heart.tick(at: at(2)) == .overdue(.seconds(2)))
        #expect(heart.deadline == at(10))
        #expect(heart.tick(at: at(10)) == .hung(.seconds(10)))
        #expect(heart.deadline == nil)
        #expect(heart.ask(at: at(11)) == nil)
    }

    @Test func tellsOfAnAnswerThatCameLate() {
        var heart = Heartbeat(policy)
        #expect(heart.ask(at: at(0)) == .ask(1))
        #expect(heart.tick(at: at(2)) == .overdue(.seconds(2)))
        #expect(heart.answered(1, at: at(7)) == .recovered(after: .seconds(7)))
        #expect(heart.ask(at: at(8)) == .ask(2))
    }

    @Test func takesNoAnswerToAnEarlierQuestion() {
        var heart = Heartbeat(policy)
        #expect(heart.ask(at: at(0)) == .ask(1))
        #expect(heart.answered(1, at: at(1)) == nil)
        #expect(heart.ask(at: at(2)) == .ask(2))
        #expect(heart.answered(1, at: at(3)) == nil)
        #expect(heart.tick(at: at(4)) == .overdue(.seconds(2)))
    }

    @Test func doesNotBlameTheOtherForItsOwnSleep() {
        var heart = Heartbeat(policy)
        #expect(heart.ask(at: at(0)) == .ask(1))
        #expect(heart.tick(at: at(100)) == nil)
        #expect(heart.deadline == at(102))
        #expect(heart.tick(at: at(102)) == .overdue(.seconds(2)))
        #expect(heart.tick(at: at(300)) == nil)
        #expect(heart.tick(at: at(310)) == .hung(.seconds(10)))
    }

    /// Silence is only what lasts: whatever answers within the soft limit is never blamed, whatever is silent is, and
    /// not before the hard limit.
    @Test func randomHistoriesKeepTheLimits() {
        let seed = SeededRandom.seed(for: "randomHistoriesKeepTheLimits")
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            var heart = Heartbeat(policy)
            let answersWithin = Double.random(in: 0...20, using: &random)
            var now = 0.0
            var asked: (number: UInt32, at: Double)?
            var actions: [Heartbeat.Action] = []
            for _ in 0..<200 {
                if Bool.random(using: &random) { heart.expectTurn(at: at(now)) }
                let due = heart.deadline.map { Double($0.nanoseconds) / 1e9 } ?? now + 1
                if let question = asked, question.at + answersWithin <= due {
                    now = max(now, question.at + answersWithin)
                    asked = nil
                    if let action = heart.answered(question.number, at: at(now)) { actions.append(action) }
                    continue
                }
                now = max(now, due)
                guard let action = heart.tick(at: at(now)) else { continue }
                if case .ask(let number) = action { asked = (number, now) } else { actions.append(action) }
                if case .hung(let silence) = action {
                    #expect(silence >= policy.hard, "seed \(seed)")
                    break
                }
            }
            let isHung = actions.contains { if case .hung = $0 { true } else { false } }
            if answersWithin < 1.9 { #expect(actions.isEmpty, "seed \(seed): \(answersWithin)") }
            if answersWithin < 9.9 { #expect(!isHung, "seed \(seed): \(answersWithin)") }
            if answersWithin > 10.1, asked != nil || isHung { #expect(isHung, "seed \(seed): \(answersWithin)") }
        }
    }
}
