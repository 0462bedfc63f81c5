/// Numbers the frames of one direction of a data pipe. The writer puts the header in front of the body itself, so that a
/// large body is written from where it lies.
public struct FrameEncoder: Sendable {
    public let generation: UInt16
    public private(set) var nextSequence: UInt32

    /// `firstSequence` is 0 on a new pipe; tests of the wrap start elsewhere.
    public init(generation: UInt16, firstSequence: UInt32 = 0) {
        self.generation = generation
        nextSequence = firstSequence
    }

    /// The next frame's header. Each one must be sent, in order.
    public mutating func header(_ kind: FrameKind, length: Int) -> FrameHeader {
        defer { nextSequence &+= 1 }
        return FrameHeader(kind: kind, generation: generation, sequence: nextSequence, length: UInt32(length))
    }

    /// Header and body in one piece, for small frames.
    public mutating func frame(_ kind: FrameKind, _ body: [UInt8] = []) -> [UInt8] {
        let header = header(kind, length: body.count)
        return [UInt8](unsafeUninitializedCapacity: FrameHeader.size + body.count) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            if let base = target.baseAddress { header.write(to: base) }
            target[FrameHeader.size...].copyBytes(from: body)
            count = FrameHeader.size + body.count
        }
    }
}
