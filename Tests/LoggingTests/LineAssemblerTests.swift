import Logging
import TestSupport
import Testing

@Suite struct LineAssemblerTests {
    private func lines(_ chunks: [[UInt8]], bound: Int = 64) -> [String] {
        var assembler = LineAssembler(maxLineBytes: bound)
        let lines = chunks.flatMap { assembler.append($0) }
        return lines + (assembler.finish().map { [$0] } ?? [])
    }

    @Test func splitsAtLineFeedsAndKeepsTheLastLine() {
        #expect(lines([Array("one\n\ntwo\r\nthree".utf8)]) == ["one", "", "two", "three"])
        #expect(lines([Array("one\n".utf8)]) == ["one"])
        #expect(lines([]) == [])
    }

    @Test func keepsAFullLineAndCutsALongerOne() {
        let full = String(repeating: "x", count: 64)
        #expect(lines([Array((full + "\r\n").utf8)]) == [full])
        #expect(lines([Array((full + "x\n" + "next").utf8)]) == [full.dropLast(17) + "… cut, 65 bytes", "next"])
    }

    @Test func repairsWhatIsNotUTF8() {
        #expect(lines([[0x61, 0xFF, 0x62, 0x0A, 0xE2, 0x82]]) == ["a\u{FFFD}b", "\u{FFFD}"])
        let grown = lines([Array(repeating: 0xFF, count: 60)])
        #expect(grown.allSatisfy { $0.utf8.count <= 64 && $0.hasSuffix("… cut, 60 bytes") })
    }

    @Test func holdsOneMebibyteWithoutALineFeedAsItsBeginning() {
        var assembler = LineAssembler()
        for _ in 0..<256 { #expect(assembler.append([UInt8](repeating: 0x61, count: 4096)) == []) }
        #expect(assembler.finish()?.hasSuffix("a… cut, 1048576 bytes") == true)
    }

    @Test func anyCutOfTheBytesGivesTheSameLines() {
        let seed = SeededRandom.seed(for: "cuts of lines")
        var random = SeededRandom(seed: seed)
        let alphabet: [UInt8] = [0x0A, 0x0D, 0x61, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0xFF, 0x00]
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var chunks: [[UInt8]] = []
            var at = 0
            while at < bytes.count {
                let end = min(bytes.count, at + Int.random(in: 1...40, using: &random))
                chunks.append(Array(bytes[at..<end]))
                at = end
            }
            let bound = Int.random(in: 24...80, using: &random)
            let whole = lines([bytes], bound: bound)
            #expect(lines(chunks, bound: bound) == whole, "seed \(seed)")
            #expect(whole.allSatisfy { $0.utf8.count <= bound }, "seed \(seed)")
        }
    }
}
