import TestSupport
import Testing

@testable import Networking

@Suite struct WebSocketDecoderTests {
    /// What a decoder gives for pieces, and the code of the violation that ends it.
    private func decode(_ pieces: [[UInt8]], limit: Int = 1 << 20) -> ([WebSocketIncoming], Int?) {
        var decoder = WebSocketDecoder(messageLimit: limit)
        var all: [WebSocketIncoming] = []
        do throws(WebSocketViolation) {
            for piece in pieces {
                piece.withUnsafeBytes { decoder.take($0) }
                while let incoming = try decoder.next() { all.append(incoming) }
            }
            return (all, nil)
        } catch {
            return (all, error.code)
        }
    }

    @Test func theStandardsExamples() {
        // RFC 6455, section 5.7.
        let hello = Array("Hello".utf8)
        let whole = [0x81, 0x05] + hello
        let fragments = [0x01, 0x03] + hello[..<3] + [0x80, 0x02] + hello[3...]
        let (all, code) = decode([whole + fragments + [0x89, 0x05] + hello + [0x8a, 0x05] + hello])
        #expect(all == [.text(hello), .text(hello), .ping(hello), .pong(hello)])
        #expect(code == nil)
        var masked: [UInt8] = []
        hello.withUnsafeBytes { WebSocketFrame.append(.text, $0, mask: (0x37, 0xfa, 0x21, 0x3d), to: &masked) }
        #expect(masked == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
    }

    @Test func anyCutOfTheBytesDecodesTheSame() {
        var random = SeededRandom(seed: SeededRandom.seed(for: "anyCutOfTheBytesDecodesTheSame"))
        for _ in 0..<100 {
            var bytes: [UInt8] = []
            var expected: [WebSocketIncoming] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let count = [0, 1, 125, 126, 300, 65535, 65536].randomElement(using: &random) ?? 0
                let payload = [UInt8](repeating: UInt8.random(in: 32...126, using: &random), count: count)
                let cut = Int.random(in: 0...count, using: &random)
                if cut > 0 {
                    bytes += RawWebSocket.frame(RawWebSocket.text, Array(payload[..<cut]), isLast: false)
                    bytes += RawWebSocket.frame(RawWebSocket.ping, [UInt8(cut & 0xff)])
                    bytes += RawWebSocket.frame(0, Array(payload[cut...]))
                    expected += [.ping([UInt8(cut & 0xff)]), .text(payload)]
                } else {
                    bytes += RawWebSocket.frame(RawWebSocket.text, payload)
                    expected.append(.text(payload))
                }
            }
            bytes += RawWebSocket.frame(RawWebSocket.close, [0x0f, 0xa1] + Array("end".utf8))
            expected.append(.close(code: 4001, reason: "end"))
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let most = Bool.random(using: &random) ? 3 : 5000
                pieces.append(Array(rest.prefix(Int.random(in: 1...most, using: &random))))
                rest = rest.dropFirst(pieces.last?.count ?? 1)
            }
            #expect(decode(pieces) == (expected, nil))
        }
    }

    @Test func randomBytesNeverDoMoreThanEndIt() {
        var random = SeededRandom(seed: SeededRandom.seed(for: "randomBytesNeverDoMoreThanEndIt"))
        for _ in 0..<20000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let (_, code) = decode([bytes], limit: 16)
            #expect(code == nil || [1002, 1003, 1007, 1009].contains(code))
        }
    }

    @Test func aMessageOverTheLimitIsRefusedByItsHeaderAndOverAllItsFrames() {
        #expect(decode([[0x81, 17]], limit: 16).1 == 1009)
        #expect(decode([[0x81, 16]], limit: 16).1 == nil)
        let half = RawWebSocket.frame(RawWebSocket.text, Array(repeating: 0x61, count: 16), isLast: false)
        #expect(decode([half + [0x80, 1]], limit: 16).1 == 1009)
        #expect(decode([half + [0x80, 0]], limit: 16).0 == [.text(Array(repeating: 0x61, count: 16))])
    }

    @Test func theAcceptanceIsTheStandardsExample() {
        #expect(WebSocketHandshake.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
