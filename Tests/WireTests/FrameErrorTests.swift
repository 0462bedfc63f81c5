import Testing
import Wire

@Suite struct FrameErrorTests {
    private static func check(_ bytes: [UInt8]) -> UInt32 {
        let words = (0..<3).map { word in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[word * 4 + $1]) << ($1 * 8) }
        }
        return CRC32C.of(words[0], words[1], words[2])
    }

    /// A header with its fields as given and, unless told otherwise, a right check.
    private static func header(
        length: UInt32 = 0, kind: UInt8 = 1, flags: UInt8 = 0, generation: UInt16 = 5, sequence: UInt32 = 0,
        checkOff: UInt32 = 0
    ) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }
        let fields = bytes(length) + [kind, flags] + bytes(generation) + bytes(sequence)
        return fields + bytes(check(fields) ^ checkOff)
    }

    @Test(arguments: [
        (header(length: 1001), FrameError.tooLong(length: 1001, limit: 1000)),
        (header(length: .max), .tooLong(length: .max, limit: 1000)),
        (header(kind: 0), .unknownKind(0)),
        (header(kind: 6), .unknownKind(6)),
        (header(kind: 255), .unknownKind(255)),
        (header(flags: 1), .unknownFlags(1)),
        (header(generation: 4), .wrongGeneration(seen: 4, expected: 5)),
        (header(sequence: 1), .wrongSequence(seen: 1, expected: 0)),
        (header(sequence: .max), .wrongSequence(seen: .max, expected: 0)),
    ])
    func everyBadHeaderIsItsError(bytes: [UInt8], error: FrameError) {
        let decoder = FrameDecoder(generation: 5, limit: 1000)
        var frames: [ReadFrame] = []
        #expect(throws: error) { try decoder.read(bytes[...], into: &frames) }
        #expect(throws: error) { try decoder.consume(0) { _, _ in } }
        #expect(frames.isEmpty)
        #expect(decoder.partialFrame == nil)
    }

    @Test func aWrongCheckIsFoundBeforeAnyFieldIsBelieved() {
        let bytes = Self.header(length: .max, kind: 9, checkOff: 1)
        let computed = Self.check(bytes)
        let decoder = FrameDecoder(generation: 5, limit: 1000)
        var frames: [ReadFrame] = []
        #expect(throws: FrameError.wrongCheck(seen: computed ^ 1, expected: computed)) {
            try decoder.read(bytes[...], into: &frames)
        }
    }

    @Test func everyFlippedBitOfAHeaderIsAnError() throws {
        var encoder = FrameEncoder(generation: 5)
        let good = encoder.frame(.envelope, [1, 2, 3])
        for bit in 0..<FrameHeader.size * 8 {
            var bad = good
            bad[bit / 8] ^= 1 << (bit % 8)
            let decoder = FrameDecoder(generation: 5, limit: 1000)
            var frames: [ReadFrame] = []
            #expect(throws: FrameError.self) { try decoder.read(bad[...], into: &frames) }
            #expect(frames.isEmpty)
        }
    }

    @Test func framesBeforeABadOneAreDelivered() throws {
        var encoder = FrameEncoder(generation: 5)
        let stream =
            encoder.frame(.envelope, [1]) + encoder.frame(.envelope, [2])
            + Self.header(kind: 77, sequence: 2) + [9, 9, 9]
        let decoder = FrameDecoder(generation: 5, limit: 1000)
        var frames: [ReadFrame] = []
        #expect(throws: FrameError.unknownKind(77)) { try decoder.read(stream[...], into: &frames) }
        #expect(frames.map(\.body) == [[1], [2]])
    }

    @Test func aBodyOfTheLimitIsAccepted() throws {
        var encoder = FrameEncoder(generation: 5)
        let decoder = FrameDecoder(generation: 5, limit: 1000)
        var frames: [ReadFrame] = []
        try decoder.read(encoder.frame(.envelope, [UInt8](repeating: 1, count: 1000))[...], into: &frames)
        #expect(frames.first?.body.count == 1000)
    }

    @Test func messagesSayWhatWasSeen() {
        #expect(
            FrameError.tooLong(length: 9, limit: 8).description
                == "frame of 9 bytes is over the limit of 8 bytes: send it in parts")
        #expect(
            FrameError.wrongSequence(seen: 4, expected: 3).description
                == "frame number 4 came where number 3 was due: a frame was lost or repeated")
        #expect(
            FrameError.wrongCheck(seen: 0xAB, expected: 0xC).description
                == "frame header with check 0xab, computed 0xc: the stream is damaged or out of step")
    }
}
