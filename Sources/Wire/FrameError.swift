/// Why a data pipe cannot be read on. All but `noMemory` are protocol violations of the other side; each is found before
/// memory for the frame's body is taken.
public enum FrameError: Error, Equatable, Sendable {
    case wrongCheck(seen: UInt32, expected: UInt32)
    case tooLong(length: UInt32, limit: UInt32)
    case unknownKind(UInt8)
    case unknownFlags(UInt8)
    case wrongGeneration(seen: UInt16, expected: UInt16)
    case wrongSequence(seen: UInt32, expected: UInt32)
    /// The allocator refused `length` bytes for a frame that is within the limit.
    case noMemory(length: UInt32)
}

extension FrameError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongCheck(let seen, let expected):
            "frame header with check \(hex(seen)), computed \(hex(expected)): the stream is damaged or out of step"
        case .tooLong(let length, let limit):
            "frame of \(length) bytes is over the limit of \(limit) bytes: send it in parts"
        case .unknownKind(let kind):
            "frame of unknown kind \(kind): kinds are 1 to 5"
        case .unknownFlags(let flags):
            "frame with flags \(hex(UInt32(flags))): flags must be 0"
        case .wrongGeneration(let seen, let expected):
            "frame of generation \(seen) on the pipe of generation \(expected)"
        case .wrongSequence(let seen, let expected):
            "frame number \(seen) came where number \(expected) was due: a frame was lost or repeated"
        case .noMemory(let length):
            "no memory for a frame of \(length) bytes"
        }
    }

    private func hex(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
}
