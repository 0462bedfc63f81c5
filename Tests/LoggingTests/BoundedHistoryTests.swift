import Logging
import TestSupport
import Testing

@Suite struct BoundedHistoryTests {
    private final class Kept {
        let number: Int
        let size: Int

        init(_ number: Int, size: Int) {
            self.number = number
            self.size = size
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5]) func keepsTheNewestWithinItsBounds(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let maxCount = Int.random(in: 1...40, using: &random)
        let maxCost = Int.random(in: 1...200, using: &random)
        var history = BoundedHistory<Int>(maxCount: maxCount, maxCost: maxCost) { $0 }
        var model: [Int] = []
        for _ in 0..<2000 {
            let element = Int.random(in: 0...20, using: &random)
            model.append(element)
            while model.count > maxCount || (model.count > 1 && model.reduce(0, +) > maxCost) { model.removeFirst() }
            history.append(element)
            #expect(Array(history) == model, "seed \(seed)")
        }
    }

    @Test func whatIsOverABoundIsGoneAtOnce() {
        var history = BoundedHistory<Kept>(maxCount: 10, maxCost: 100) { $0.size }
        var all: [() -> Kept?] = []
        for number in 0..<35 {
            let kept = Kept(number, size: 1)
            history.append(kept)
            all.append { [weak kept] in kept }
        }
        #expect(all.compactMap { $0()?.number } == Array(25..<35))
        history.append(Kept(35, size: 96))
        #expect(all.compactMap { $0()?.number } == Array(31..<35))
        history.append(Kept(36, size: 1000))
        #expect(all.allSatisfy { $0() == nil })
        #expect(history.map(\.number) == [36])
    }
}
