internal import CSystem

/// Frames that wait to be written, in order, each within one piece: TLS wants the very bytes again that found no room.
struct WebSocketOutput {
    /// Small frames share a piece up to this size, and so a system call.
    private static let pieceSize = 16384

    private var pieces: [[UInt8]] = []
    /// Written of the first piece.
    private var written = 0
    /// The first piece was given to the stream, as it is.
    private var isFirstFixed = false
    private(set) var queuedBytes = 0

    var isEmpty: Bool { pieces.isEmpty }

    mutating func append(_ opcode: WebSocketFrame.Opcode, _ payload: UnsafeRawBufferPointer) {
        let canJoin = pieces.count > (isFirstFixed ? 1 : 0)
        let joins = canJoin && (pieces.last?.count ?? 0) + payload.count <= Self.pieceSize
        if !joins { pieces.append([]) }
        let last = pieces.count - 1
        let before = pieces[last].count
        WebSocketFrame.append(opcode, payload, mask: Self.randomMask(), to: &pieces[last])
        queuedBytes += pieces[last].count - before
    }

    mutating func append(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
        payload.withUnsafeBytes { append(opcode, $0) }
    }

    private static func randomMask() -> (UInt8, UInt8, UInt8, UInt8) {
        var mask: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        let filled = withUnsafeMutableBytes(of: &mask) { chs_random($0.baseAddress, $0.count) }
        precondition(filled == 0, "getrandom failed")
        return mask
    }

    /// Drops what the stream has seen nothing of.
    mutating func dropUnseen() {
        let kept = isFirstFixed ? 1 : 0
        for piece in pieces.dropFirst(kept) { queuedBytes -= piece.count }
        pieces.removeSubrange(kept...)
    }

    mutating func dropAll() {
        pieces = []
        written = 0
        isFirstFixed = false
        queuedBytes = 0
    }

    /// Writes about `most` bytes at most, as long as `write` has room.
    mutating func write(
        most: Int, by write: (UnsafeRawBufferPointer) throws(GLibError) -> Int?
    ) throws(GLibError) {
        var total = 0
        while let first = pieces.first, total < most {
            isFirstFixed = true
            let outcome = first.withUnsafeBytes { bytes in
                Result { () throws(GLibError) in try write(UnsafeRawBufferPointer(rebasing: bytes[written...])) }
            }
            guard let count = try outcome.get() else { return }
            total += count
            written += count
            queuedBytes -= count
            if written == first.count {
                pieces.removeFirst()
                written = 0
                isFirstFixed = false
            }
        }
    }
}
