/// Appends little-endian numbers and length-prefixed texts to an array.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// u32 length, then the bytes.
    mutating func put(_ data: [UInt8]) {
        put(UInt32(data.count))
        bytes.append(contentsOf: data)
    }

    /// u32 length, then UTF-8. A text over `limit` bytes is cut between two scalars and says how much is missing.
    mutating func put(_ text: String, limit: Int) {
        var text = text
        text.makeContiguousUTF8()
        let utf8 = text.utf8
        guard utf8.count > limit else {
            put(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
            return
        }
        let roomForNote = 48
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit - roomForNote))
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        let kept = utf8.distance(from: utf8.startIndex, to: end)
        let note = "… [\(utf8.count - kept) bytes cut]"
        put(UInt32(kept + note.utf8.count))
        bytes.append(contentsOf: utf8[..<end])
        bytes.append(contentsOf: note.utf8)
    }
}

/// Reads what `ByteWriter` wrote, never past the end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(Truncated) -> Number {
        let field = try take(MemoryLayout<Number>.size)
        return Number(littleEndian: field.loadUnaligned(as: Number.self))
    }

    mutating func data() throws(Truncated) -> [UInt8] {
        try [UInt8](take(Int(number(UInt32.self))))
    }

    /// Bytes that are not UTF-8 become U+FFFD: a text is for people, and a component may send anything.
    mutating func text() throws(Truncated) -> String {
        try String(decoding: take(Int(number(UInt32.self))), as: UTF8.self)
    }

    private mutating func take(_ count: Int) throws(Truncated) -> UnsafeRawBufferPointer {
        guard count <= remaining else { throw Truncated() }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// A field goes past the end of its message.
    struct Truncated: Error {}
}
