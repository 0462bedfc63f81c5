/// What a frame of the data pipe carries.
public enum FrameKind: UInt8, Sendable, CaseIterable {
    /// A message of the core's protocol, opaque here.
    case envelope = 1
    /// `ListRequest` and `ListReply`.
    case listRequest = 2
    case listReply = 3
    /// The component's last frame: it closes itself. The core plane answers with `byeAcknowledged` once everything before
    /// it was handled.
    case bye = 4
    case byeAcknowledged = 5
}

/// The 16 bytes in front of every body on the data pipe, little-endian.
///
///     offset  size  field       meaning
///     0       4     length      bytes of body that follow, 0 ... the pipe's limit
///     4       1     kind        `FrameKind`
///     5       1     flags       0
///     6       2     generation  low 16 bits of the component's generation
///     8       4     sequence    0, 1, 2 … per direction; wraps
///     12      4     check       CRC32C of the 12 bytes before
public struct FrameHeader: Equatable, Sendable {
    public static let size = 16

    public let kind: FrameKind
    public let generation: UInt16
    public let sequence: UInt32
    /// Bytes of body.
    public let length: UInt32

    public init(kind: FrameKind, generation: UInt16, sequence: UInt32, length: UInt32) {
        self.kind = kind
        self.generation = generation
        self.sequence = sequence
        self.length = length
    }

    /// Writes `size` bytes at `target`, which needs no alignment.
    public func write(to target: UnsafeMutableRawPointer) {
        let second = UInt32(kind.rawValue) | UInt32(generation) << 16
        let check = CRC32C.ofHeader(length, second, sequence)
        target.storeBytes(of: length.littleEndian, toByteOffset: 0, as: UInt32.self)
        target.storeBytes(of: second.littleEndian, toByteOffset: 4, as: UInt32.self)
        target.storeBytes(of: sequence.littleEndian, toByteOffset: 8, as: UInt32.self)
        target.storeBytes(of: check.littleEndian, toByteOffset: 12, as: UInt32.self)
    }

    /// Reads and judges the `size` bytes at `source`. The check comes first: no field of a header that fails it means
    /// anything.
    init(
        at source: UnsafeRawPointer, limit: UInt32, generation: UInt16, sequence: UInt32
    ) throws(FrameError) {
        let length = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
        let second = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let third = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let check = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 12, as: UInt32.self))

        let computed = CRC32C.ofHeader(length, second, third)
        guard check == computed else { throw .wrongCheck(seen: check, expected: computed) }
        guard length <= limit else { throw .tooLong(length: length, limit: limit) }
        let kindByte = UInt8(truncatingIfNeeded: second)
        guard let kind = FrameKind(rawValue: kindByte) else { throw .unknownKind(kindByte) }
        let flags = UInt8(truncatingIfNeeded: second >> 8)
        guard flags == 0 else { throw .unknownFlags(flags) }
        let seenGeneration = UInt16(truncatingIfNeeded: second >> 16)
        guard seenGeneration == generation else {
            throw .wrongGeneration(seen: seenGeneration, expected: generation)
        }
        guard third == sequence else { throw .wrongSequence(seen: third, expected: sequence) }
        self.init(kind: kind, generation: generation, sequence: sequence, length: length)
    }
}
