import Glibc
import TestSupport
import Testing
import Wire

/// A frame as a value that can be compared.
struct ReadFrame: Equatable {
    let kind: FrameKind
    let sequence: UInt32
    let body: [UInt8]
}

extension FrameDecoder {
    /// Gives the decoder `bytes` as far as its buffers take them, and collects what comes out.
    func read(_ bytes: ArraySlice<UInt8>, into frames: inout [ReadFrame]) throws(FrameError) {
        var rest = bytes
        while !rest.isEmpty {
            let buffer = nextBuffer()
            let count = min(buffer.count, rest.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            try consume(count) { header, body in
                frames.append(ReadFrame(kind: header.kind, sequence: header.sequence, body: Array(body.bytes)))
            }
        }
    }
}

@Suite struct FrameTests {
    @Test func checkIsCRC32C() {
        // RFC 3720, appendix B.4
        #expect(CRC32C.of(0, 0, 0, 0, 0, 0, 0, 0) == 0x8A91_36AA)
        let ones = UInt32.max
        #expect(CRC32C.of(ones, ones, ones, ones, ones, ones, ones, ones) == 0x62A8_AB43)
        #expect(
            CRC32C.of(
                0x0302_0100, 0x0706_0504, 0x0B0A_0908, 0x0F0E_0D0C, 0x1312_1110, 0x1716_1514, 0x1B1A_1918,
                0x1F1E_1D1C) == 0x46DD_794E)
    }

    @Test func headerHasThePinnedLayout() {
        var encoder = FrameEncoder(generation: 0x0102, firstSequence: 0x0A0B_0C0D)
        let bytes = encoder.frame(.listReply, [0xEE, 0xFF])
        #expect(Array(bytes[0..<12]) == [2, 0, 0, 0, 3, 0, 0x02, 0x01, 0x0D, 0x0C, 0x0B, 0x0A])
        let check = CRC32C.of(2, 0x0102_0003, 0x0A0B_0C0D)
        #expect(Array(bytes[12..<16]) == (0..<4).map { UInt8(truncatingIfNeeded: check >> ($0 * 8)) })
        #expect(Array(bytes[16...]) == [0xEE, 0xFF])
    }

    @Test func sequenceWraps() throws {
        var encoder = FrameEncoder(generation: 1, firstSequence: .max)
        let decoder = FrameDecoder(generation: 1, firstSequence: .max)
        var frames: [ReadFrame] = []
        try decoder.read(ArraySlice(encoder.frame(.envelope, [1]) + encoder.frame(.bye)), into: &frames)
        #expect(frames.map(\.sequence) == [.max, 0])
        #expect(frames.map(\.body) == [[1], []])
    }

    @Test func everyCutOfASmallStreamDecodesTheSame() throws {
        var encoder = FrameEncoder(generation: 7)
        let stream = encoder.frame(.envelope, [1, 2, 3]) + encoder.frame(.listRequest) + encoder.frame(.bye, [9])
        let whole = try decode(stream, cuts: [], generation: 7)
        #expect(whole.map(\.body) == [[1, 2, 3], [], [9]])
        #expect(whole.map(\.kind) == [.envelope, .listRequest, .bye])
        for first in 0...stream.count {
            for second in first...stream.count {
                #expect(try decode(stream, cuts: [first, second], generation: 7) == whole)
            }
        }
    }

    @Test func anyCutOfAnyStreamDecodesTheSame() throws {
        let seed = SeededRandom.seed(for: "anyCutOfAnyStreamDecodesTheSame")
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            var encoder = FrameEncoder(generation: 3)
            var stream: [UInt8] = []
            var sent: [ReadFrame] = []
            for sequence in 0..<UInt32.random(in: 1...12, using: &random) {
                let around =
                    [0, 1, 60, 4096, FrameDecoder.directBodySize, FrameDecoder.chunkSize, 200_000]
                    .randomElement(using: &random) ?? 0
                let size = max(0, around + Int.random(in: -20...20, using: &random))
                var body = [UInt8](repeating: UInt8(sequence), count: size)
                for place in stride(from: 0, to: size, by: 509) { body[place] = .random(in: 0...255, using: &random) }
                let kind = FrameKind.allCases.randomElement(using: &random) ?? .envelope
                stream += encoder.frame(kind, body)
                sent.append(ReadFrame(kind: kind, sequence: sequence, body: body))
            }
            let cuts = (0..<Int.random(in: 0...40, using: &random))
                .map { _ in Int.random(in: 0...stream.count, using: &random) }
            #expect(try decode(stream, cuts: cuts.sorted(), generation: 3) == sent, "seed \(seed)")
        }
    }

    @Test func aLargeBodyIsReadIntoItsOwnMemory() throws {
        let size = 3 * FrameDecoder.chunkSize
        var encoder = FrameEncoder(generation: 1)
        let stream = encoder.frame(.envelope, [UInt8](repeating: 5, count: size))
        let decoder = FrameDecoder(generation: 1)
        decoder.nextBuffer().copyBytes(from: stream[..<1000])
        try decoder.consume(1000) { header, _ in Issue.record("incomplete frame \(header)") }
        let rest = decoder.nextBuffer()
        #expect(rest.count == stream.count - 1000)
        rest.copyBytes(from: stream[1000...])
        var taken: UnsafeMutableRawBufferPointer?
        try decoder.consume(rest.count) { _, body in taken = body.take() }
        let body = try #require(taken)
        defer { free(body.baseAddress) }
        #expect(body.count == size)
        #expect(body.baseAddress.map { $0 + (size - rest.count) } == rest.baseAddress)
        #expect(body.allSatisfy { $0 == 5 })
    }

    @Test func aBrokenOffStreamShowsItsPartialFrame() throws {
        var encoder = FrameEncoder(generation: 1)
        let first = encoder.frame(.envelope, [1])
        let second = encoder.frame(.envelope, [UInt8](repeating: 2, count: 40_000))
        for missing in 1...second.count where missing < 50 || missing % 997 == 0 || second.count - missing < 50 {
            let decoder = FrameDecoder(generation: 1)
            var frames: [ReadFrame] = []
            let received = second.count - missing
            try decoder.read((first + second.dropLast(missing))[...], into: &frames)
            #expect(frames.count == 1)
            #expect(decoder.hasPartialFrame == (received > 0))
            #expect((decoder.partialFrame?.received ?? 0) == received)
            #expect(decoder.partialFrame?.header?.length == (received < FrameHeader.size ? nil : 40_000))
        }
    }

    private func decode(_ stream: [UInt8], cuts: [Int], generation: UInt16) throws -> [ReadFrame] {
        let decoder = FrameDecoder(generation: generation)
        var frames: [ReadFrame] = []
        for (from, to) in zip([0] + cuts, cuts + [stream.count]) {
            try decoder.read(stream[from..<to], into: &frames)
        }
        #expect(decoder.partialFrame == nil)
        return frames
    }
}
