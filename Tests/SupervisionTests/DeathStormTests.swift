import Testing

@testable import Supervision

@Suite struct DeathStormTests {
    private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func oneDeathOrTwoLeadOnAtOnce() {
        var storm = DeathStorm()
        #expect(storm.death(at: instant(1000)) == nil)
        #expect(storm.death(at: instant(1001)) == nil)
        #expect(storm.death(at: instant(1012)) == nil, "11 ms after the last one it is the first again")
        #expect(storm.death(at: instant(1013)) == nil)
    }

    @Test func fromTheThirdOnAllWaitsUntilNobodyDies() {
        var storm = DeathStorm()
        for time: Int64 in [1000, 1001] { _ = storm.death(at: instant(time)) }
        #expect(storm.death(at: instant(1001)) == instant(1011))
        #expect(storm.death(at: instant(1011)) == instant(1021), "exactly 10 ms apart is close")
        #expect(storm.death(at: instant(1022)) == nil)
    }

    @Test func nothingWaitsForLongerThanTheLimit() {
        var storm = DeathStorm()
        let untils = (0..<60).map { (Int64($0) * 5, storm.death(at: instant(Int64($0) * 5))) }
        for (time, until) in untils where time >= 10 {
            #expect(until == (time < 200 ? instant(min(time + 10, 200)) : nil), "at \(time) ms")
        }
    }
}
