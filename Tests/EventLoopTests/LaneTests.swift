import CSystem
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct LaneTests {
    /// A body that holds the lane's thread until it is let go.
    private final class Brake: Sendable {
        private let state = Atomic(false)
        var isReleased: Bool { state.load(ordering: .acquiring) }
        func wait() { while !isReleased { sched_yield() } }
        func release() { state.store(true, ordering: .releasing) }
    }

    private func onLane(_ body: (Loop, Lane) throws -> Void) throws {
        let loop = try Loop()
        let lane = try Lane(on: loop)
        try body(loop, lane)
        lane.close()
        loop.close()
    }

    /// Each result comes once, by itself or by `done`, and is that of its own body.
    @Test func everyPieceHasItsResultOnce() throws {
        try onLane { loop, lane in
            var random = SeededRandom(seed: SeededRandom.seed(for: "lane"))
            var results = [Int](repeating: 0, count: 20_000)
            var next = 0
            var answered = 0
            func count(_ result: Int) {
                results[result] += 1
                answered += 1
            }
            func more() {
                while next < results.count {
                    let number = next
                    let turns = Int.random(in: 0..<100, using: &random)
                    next += 1
                    let atOnce = lane.run(patience: .random(in: 0..<50_000, using: &random)) {
                        for _ in 0..<turns { sched_yield() }
                        return number
                    } done: { result in
                        count(result)
                        more()
                    }
                    if let atOnce { count(atOnce) } else if Bool.random(using: &random) { return }
                }
            }
            more()
            while answered < results.count { loop.runOnce() }
            #expect(results.allSatisfy { $0 == 1 })
        }
    }

    @Test func othersWorkWhileTheThreadIsBusy() throws {
        try onLane { loop, lane in
            let brake = Brake()
            var order: [String] = []
            let held: Void? = lane.run(patience: 0) {
                brake.wait()
            } done: {
                order.append("held")
            }
            #expect(held == nil)
            let other = lane.run(patience: 1_000_000_000) {
                "other"
            } done: { result in
                order.append(result)
                brake.release()
            }
            #expect(other == nil, "libuv's workers answer on the loop")
            while order.count < 2 { loop.runOnce() }
            #expect(order == ["other", "held"])
        }
    }

    @Test func closingWaitsForWhatIsUnderWayAndAnswersNothing() throws {
        let loop = try Loop()
        let lane = try Lane(on: loop)
        let brake = Brake()
        let isDone = Brake()
        let held: Void? = lane.run(patience: 0) {
            brake.wait()
            isDone.release()
        } done: {
            Issue.record("answered after it was closed")
        }
        #expect(held == nil)
        let releasing = try Thread { brake.release() }
        lane.close()
        #expect(isDone.isReleased)
        releasing.join()
        loop.close()
    }

    /// What a piece holds is let go of on the loop's thread: it may be JavaScript's.
    @Test func closuresEndOnTheLoopsThread() throws {
        final class Witness {
            let thread = pthread_self()
            deinit { #expect(pthread_equal(thread, pthread_self()) != 0) }
        }
        try onLane { loop, lane in
            var answered = 0
            for round in 0..<2000 {
                let witness = Witness()
                let atOnce = lane.run(patience: round % 2 == 0 ? 0 : 1_000_000) {
                    round
                } done: { _ in
                    withExtendedLifetime(witness) { answered += 1 }
                }
                if atOnce != nil { answered += 1 }
                while answered <= round { loop.runOnce() }
            }
            #expect(answered == 2000)
        }
    }
}
