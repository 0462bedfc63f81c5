import Glibc

/// Bytes of a pipe, cut anywhere, to lines of text.
///
/// A line ends at a line feed (a carriage return before it goes too) or at the end of the file. Text is repaired UTF-8
/// of at most `maxLineBytes`; of a longer line the beginning is kept and marked `… cut, N bytes`, and no more than
/// that is ever held. Where the bytes were cut changes nothing.
public struct LineAssembler: Sendable {
    private let maxLineBytes: Int
    /// The beginning of the line that is under way, never more than `maxLineBytes` + 1.
    private var head: [UInt8] = []
    /// Bytes of that line seen.
    private var total = 0
    private var lastByte: UInt8 = 0

    public init(maxLineBytes: Int = LogLine.maxTextBytes) {
        self.maxLineBytes = maxLineBytes
    }

    /// The lines that these bytes complete, in order.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) -> [String] {
        var lines: [String] = []
        var rest = bytes[...]
        while let end = lineEnd(in: rest) {
            take(rest[..<end])
            lines.append(endLine())
            rest = rest[rest.index(after: end)...]
        }
        take(rest)
        return lines
    }

    public mutating func append(_ bytes: [UInt8]) -> [String] {
        bytes.withUnsafeBytes { append($0) }
    }

    /// The last line, if it had no line feed. Call at the end of the file.
    public mutating func finish() -> String? {
        total == 0 ? nil : endLine()
    }

    private mutating func take(_ bytes: Slice<UnsafeRawBufferPointer>) {
        guard let last = bytes.last else { return }
        // One more than the bound, so that a line that is just full can still lose its carriage return.
        head.append(contentsOf: bytes.prefix(max(0, maxLineBytes + 1 - head.count)))
        total += bytes.count
        lastByte = last
    }

    private mutating func endLine() -> String {
        if total > 0, lastByte == 0x0D {
            if head.count == total { head.removeLast() }
            total -= 1
        }
        defer {
            head.removeAll(keepingCapacity: head.capacity <= 4096)
            total = 0
        }
        return BoundedText.text(head, total: total, bound: maxLineBytes)
    }

    private func lineEnd(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let piece = UnsafeRawBufferPointer(rebasing: bytes)
        guard let base = piece.baseAddress, let found = memchr(base, 0x0A, piece.count) else { return nil }
        return bytes.startIndex + (UnsafeRawPointer(found) - base)
    }
}
