import Supervision
import Testing

@Suite struct MemoryWatchTests {
    private let policy = MemoryPolicy(soft: 100 << 20, hard: 200 << 20)

    @Test func warnsOncePerCrossing() {
        var watch = MemoryWatch(policy)
        let seen = [50, 100, 101, 150, 101, 95, 91, 101].map { watch.see($0 << 20) }
        #expect(seen == [nil, nil, .warn, nil, nil, nil, nil, nil])
        #expect(watch.see(90 << 20) == .recovered)
        #expect(watch.see(89 << 20) == nil)
        #expect(watch.see(101 << 20) == .warn)
    }

    @Test func endsOnceAtAllThatMayBeHeld() {
        var watch = MemoryWatch(policy)
        #expect(watch.see(policy.end) == .warn)
        #expect(watch.see(policy.end + 1) == .end(OverMemory(held: policy.end + 1, limit: policy.end)))
        #expect(watch.see(policy.end + 2) == nil)
        #expect(watch.see(0) == nil)
    }

    @Test func newLimitsHoldAtOnce() {
        var watch = MemoryWatch(policy)
        #expect(watch.see(50 << 20) == nil)
        watch.policy.soft = 40 << 20
        #expect(watch.see(50 << 20) == .warn)
    }

    @Test func whatTheEngineIsRefusedComesBeforeTheEnd() {
        #expect(policy.hard < policy.growth && policy.growth < policy.end)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (64 << 20, "64 MiB"),
        ((3 << 30) + (512 << 20), "3.5 GiB"),
    ])
    func sizesAreWrittenForPeople(bytes: Int, text: String) {
        #expect(bytes.sizeText == text)
    }
}
