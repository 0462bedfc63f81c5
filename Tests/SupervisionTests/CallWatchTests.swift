import Testing

@testable import Supervision

@Suite struct CallWatchTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test func aCallThatAnswersInTimeIsNotTold() {
        var watch = CallWatch()
        watch.began(1, "init", limit: .seconds(10), at: at(0))
        #expect(watch.deadline == at(10))
        #expect(watch.tick(at: at(9)) == [])
        #expect(watch.ended(1, at: at(9)) == nil)
        #expect(watch.deadline == nil && watch.count == 0)
    }

    @Test func aCallWithoutAnswerIsToldAtItsLimitAndAtTwiceItsAge() {
        var watch = CallWatch()
        watch.began(1, "signIn", limit: .seconds(10), at: at(0))
        #expect(watch.tick(at: at(10)) == [.init(name: "signIn", age: .seconds(10))])
        #expect(watch.overdue.map(\.name) == ["signIn"])
        #expect(watch.deadline == at(20))
        #expect(watch.tick(at: at(19)) == [])
        #expect(watch.tick(at: at(20)) == [.init(name: "signIn", age: .seconds(20))])
        #expect(watch.deadline == at(40))
        #expect(watch.ended(1, at: at(25)) == .init(name: "signIn", age: .seconds(25)))
        #expect(watch.overdue.isEmpty)
    }

    @Test func olderCallsComeFirst() {
        var watch = CallWatch()
        watch.began(2, "b", limit: .seconds(1), at: at(1))
        watch.began(1, "a", limit: .seconds(1), at: at(0))
        watch.began(3, "c", limit: .seconds(100), at: at(0))
        #expect(watch.tick(at: at(5)).map(\.name) == ["a", "b"])
        #expect(watch.overdue.map(\.name) == ["a", "b"])
    }

    @Test func theEndOfAnUnknownCallSaysNothing() {
        var watch = CallWatch()
        #expect(watch.ended(7, at: at(0)) == nil)
    }
}
