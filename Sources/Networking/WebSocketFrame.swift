/// Frames of RFC 6455, section 5.2, as a client writes them:
///
///     byte  0       0x80 (last frame of its message) | opcode
///     byte  1       0x80 (masked) | length 0...125, or 126: two bytes of length follow, or 127: eight
///     then          the mask, four random bytes
///     then          the payload, each byte combined with the mask's bytes in turn
enum WebSocketFrame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    static let longestControlPayload = 125

    /// Appends one whole message as one frame.
    static func append(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, mask: (UInt8, UInt8, UInt8, UInt8),
        to frames: inout [UInt8]
    ) {
        frames.reserveCapacity(frames.count + payload.count + 14)
        frames.append(0x80 | opcode.rawValue)
        switch payload.count {
        case ...125: frames.append(0x80 | UInt8(payload.count))
        case ...0xffff:
            frames.append(0x80 | 126)
            appendBigEndian(payload.count, bytes: 2, to: &frames)
        default:
            frames.append(0x80 | 127)
            appendBigEndian(payload.count, bytes: 8, to: &frames)
        }
        let start = frames.count + 4
        frames.append(contentsOf: [mask.0, mask.1, mask.2, mask.3])
        frames.append(contentsOf: payload)
        frames.withUnsafeMutableBytes { apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }

    private static func appendBigEndian(_ number: Int, bytes: Int, to frames: inout [UInt8]) {
        for index in (0..<bytes).reversed() { frames.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }

    /// Eight bytes at a time: a message of megabytes is masked in a fraction of the time that its copy takes.
    private static func apply(_ mask: (UInt8, UInt8, UInt8, UInt8), to payload: UnsafeMutableRawBufferPointer) {
        let four = UInt32(mask.0) | UInt32(mask.1) << 8 | UInt32(mask.2) << 16 | UInt32(mask.3) << 24
        let eight = (UInt64(four) << 32 | UInt64(four)).littleEndian
        var index = 0
        while index + 8 <= payload.count {
            let word = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            payload.storeBytes(of: word ^ eight, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < payload.count {
            payload[index] ^= UInt8(truncatingIfNeeded: four >> (8 * (index & 3)))
            index += 1
        }
    }
}

/// Codes of a closing handshake (RFC 6455, section 7.4).
public enum WebSocketCode {
    public static let normal = 1000
    public static let goingAway = 1001
    public static let protocolError = 1002
    public static let unsupportedData = 1003
    /// Never sent: a close frame without a code.
    public static let none = 1005
    /// Never sent: the connection ended without a close frame.
    public static let abnormal = 1006
    public static let invalidData = 1007
    public static let policy = 1008
    public static let tooBig = 1009

    /// Bytes of a reason, in UTF-8.
    public static let longestReason = WebSocketFrame.longestControlPayload - 2

    /// May stand in a close frame.
    public static func isSendable(_ code: Int) -> Bool {
        (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
    }
}
