import Supervision
import Testing

@testable import Simulation

@Suite struct ShrinkerTests {
    private func inputs(_ count: Int) -> [Input] {
        (0..<count).map { Input(at: Instant(nanoseconds: Int64($0)), what: .traffic($0)) }
    }

    /// What breaks something together stays, in its order; nothing else does.
    @Test(arguments: [[3], [0, 99], [17, 18, 60], [5, 30, 31, 32, 98]])
    func whatSufficesIsLeft(needed: [Int]) {
        let all = inputs(100)
        var shrinker = Shrinker(most: 2000)
        let left = shrinker.shrink(all) { list in needed.allSatisfy { list.contains(all[$0]) } }
        #expect(left == needed.map { all[$0] })
        #expect(shrinker.runs < 200)
    }

    @Test func whatNeedsNoInputIsLeftWithNone() {
        var shrinker = Shrinker(most: 2000)
        #expect(shrinker.shrink(inputs(50)) { _ in true } == [])
    }

    @Test func itEndsAfterSoManyRuns() {
        var shrinker = Shrinker(most: 10)
        let all = inputs(100)
        let left = shrinker.shrink(all) { list in [1, 50, 99].allSatisfy { list.contains(all[$0]) } }
        #expect(shrinker.runs == 10 && left.count < 100 && left.contains(all[50]))
    }
}
