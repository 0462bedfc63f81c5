/// Text from anywhere made fit for a log line: valid UTF-8 and at most `bound` bytes, the mark of a cut included.
public enum BoundedText {
    /// `bytes` is the beginning of a text that had `total` bytes in all; what is not UTF-8 becomes U+FFFD.
    /// What does not fit ends in `… cut, <total> bytes`. Bounding twice changes nothing.
    public static func text(_ bytes: some Collection<UInt8>, total: Int, bound: Int) -> String {
        if total == bytes.count, total <= bound {
            let whole = String(decoding: bytes, as: UTF8.self)
            // A replaced byte takes three, so the repaired text may be longer than what came.
            if whole.utf8.count <= bound { return whole }
            return cut(whole, total: total, bound: bound)
        }
        return cut(String(decoding: bytes.prefix(bound), as: UTF8.self), total: total, bound: bound)
    }

    public static func text(_ text: String, bound: Int) -> String {
        let total = text.utf8.count
        return total <= bound ? text : cut(text, total: total, bound: bound)
    }

    private static func cut(_ text: String, total: Int, bound: Int) -> String {
        let mark = "… cut, \(total) bytes"
        let room = max(0, bound - mark.utf8.count)
        // Indices between scalars are aligned by `String.Index(_:within:)`; walking back is at most three bytes.
        var end = text.utf8.index(text.startIndex, offsetBy: min(room, text.utf8.count))
        while String.Index(end, within: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + mark
    }
}
