import TestSupport
import Testing
import Wire

@testable import PortBridge

/// What is done to frames does not depend on how their bytes come.
@Suite struct FrameManglerTests {
    private static func stream(_ sizes: [Int]) -> [[UInt8]] {
        var encoder = FrameEncoder(generation: 1)
        return sizes.enumerated().map { index, size in
            encoder.frame(.envelope, [UInt8](repeating: UInt8(truncatingIfNeeded: index + 1), count: size))
        }
    }

    private static func mangled(
        _ kind: PortFault.Kind, _ bytes: [UInt8], cutAt cuts: [Int], passing: Int = 0
    ) -> [UInt8] {
        var mangler = FrameMangler(kind, passing: passing, seed: 77)
        var out: [UInt8] = []
        var start = 0
        for cut in cuts + [bytes.count] {
            out += mangler.take(bytes[start..<cut])
            start = cut
        }
        return mangler.endsHere ? out : out + mangler.flush()
    }

    @Test func everyCutGivesTheSame() {
        let frames = Self.stream([3, 0, 40, 7])
        let all = frames.flatMap { $0 }
        for (kind, expected) in [
            (.cut(at: 18), Array(frames[0].prefix(18))), (.cut(at: 0), []),
            (.repetition, frames[0] + all), (.swap, frames[1] + frames[0] + frames[2] + frames[3]),
        ] as [(PortFault.Kind, [UInt8])] {
            for cut in 0...all.count { #expect(Self.mangled(kind, all, cutAt: [cut]) == expected, "\(kind) \(cut)") }
        }
        let corrupt = Self.mangled(.corrupt, all, cutAt: [])
        let differing = zip(corrupt, all).enumerated().filter { $1.0 != $1.1 }
        #expect(corrupt.count == all.count && differing.count == 1 && differing[0].offset < FrameHeader.size)
    }

    @Test func itBeginsAtTheNextFrame() {
        let frames = Self.stream([30, 5])
        let late = Array(frames[0].dropFirst(20)) + frames[1]
        #expect(Self.mangled(.repetition, late, cutAt: [1, 30], passing: 26) == late + frames[1])
    }

    @Test func aSwapWithoutASecondFrameGivesTheFirst() {
        let frame = Self.stream([9])[0]
        #expect(Self.mangled(.swap, frame, cutAt: [4]) == frame)
    }
}
