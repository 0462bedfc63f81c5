internal import Glibc
internal import Secrets

/// Bytes, cut anywhere, to lines without their ends, none longer than `maxBytes`; empty lines are left out.
struct Framing {
    struct LineTooLong: Error, Equatable { let maxBytes: Int }

    let maxBytes: Int
    private var head: [UInt8] = []

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Hands each complete line to `onLine`, to be changed at will, until that returns false.
    /// - Throws: once a line, complete or not, is longer than allowed; lines before it have been handed over.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ onLine: (inout [UInt8]) -> Bool) throws(LineTooLong) {
        var rest = bytes[...]
        while let end = lineEnd(in: rest) {
            var line = head + rest[..<end]
            head.withUnsafeMutableBytes { Secret.overwrite($0) }
            head.removeAll(keepingCapacity: head.capacity <= 4096)
            rest = rest[(end + 1)...]
            guard line.count <= maxBytes else { throw LineTooLong(maxBytes: maxBytes) }
            if !line.allSatisfy({ $0 == 0x0D || $0 == 0x20 }), !onLine(&line) { return }
        }
        guard head.count + rest.count <= maxBytes else { throw LineTooLong(maxBytes: maxBytes) }
        head += rest
    }

    private func lineEnd(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let piece = UnsafeRawBufferPointer(rebasing: bytes)
        guard let base = piece.baseAddress, let found = memchr(base, 0x0A, piece.count) else { return nil }
        return bytes.startIndex + (UnsafeRawPointer(found) - base)
    }
}
