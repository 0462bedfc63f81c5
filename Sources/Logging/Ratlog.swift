/// Ratlog 1.0: one event is one line of UTF-8.
///
///     [tag|tag] message | key: value | key without value
///
/// A backslash stands before `]` and `|` in tags, before `[` and `|` in the message, before `:` and `|` in keys and
/// values. A line feed in any data becomes `\n`, a carriage return too, so that one event stays one line. The
/// backslash itself is not escaped, so text that holds `\n` as two characters reads back as a line feed.
public enum Ratlog {
    /// One line without its line end; fields in ascending key order. A field with value nil is its key alone.
    public static func format(_ message: String, tags: [String] = [], fields: [String: String?] = [:]) -> String {
        var line = ""
        if !tags.isEmpty {
            line += "["
            for (index, tag) in tags.enumerated() {
                if index > 0 { line += "|" }
                line.append(tag, escaping: "]", "|")
            }
            line += "] "
        }
        line.append(message, escaping: "[", "|")
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += " | "
            line.append(key, escaping: ":", "|")
            guard let value else { continue }
            line += ": "
            line.append(value, escaping: ":", "|")
        }
        return line
    }

    /// The same for people: no backslashes before signs, control characters as `\u{1b}`. One line, but it cannot be
    /// read back.
    static func shown(_ message: String, tags: [String], fields: [String: String?]) -> String {
        let head = tags.isEmpty ? message : "[\(tags.joined(separator: "|"))] \(message)"
        let line = fields.sorted { $0.key < $1.key }.reduce(into: head) { line, field in
            line += " | \(field.key)\(field.value.map { ": \($0)" } ?? "")"
        }
        guard line.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return line }
        return line.unicodeScalars.reduce(into: "") { shown, scalar in
            switch scalar {
            case "\n", "\r": shown += "\\n"
            case "\t": shown += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
    }

    /// Tags, message and fields of one line; any text is a line, so this never fails.
    public static func parse(_ line: String) -> (tags: [String], message: String, fields: [String: String?]) {
        var rest = line.unicodeScalars[...]
        var tags: [String] = []
        if rest.first == "[", let end = tagsEnd(rest) {
            var inside = rest[rest.index(after: rest.startIndex)..<end]
            while true {
                tags.append(take(from: &inside, upTo: "|", escapable: "]", "|"))
                guard inside.first == "|" else { break }
                inside.removeFirst()
            }
            rest = rest[rest.index(after: end)...]
            if rest.first == " " { rest.removeFirst() }
        }
        let message = take(from: &rest, upTo: " | ", escapable: "[", "|")
        var fields: [String: String?] = [:]
        while !rest.isEmpty {
            rest.removeFirst(3)
            var field = rest[..<firstEnd(of: rest, at: " | ")]
            rest = rest[field.endIndex...]
            let key = take(from: &field, upTo: ": ", escapable: ":", "|")
            if field.isEmpty {
                fields.updateValue(nil, forKey: key)
            } else {
                field.removeFirst(2)
                fields[key] = take(from: &field, upTo: nil, escapable: ":", "|")
            }
        }
        return (tags, message, fields)
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func tagsEnd(_ line: Scalars) -> Scalars.Index? {
        let end = firstEnd(of: line, at: "]")
        return end == line.endIndex ? nil : end
    }

    /// Where the first unescaped `mark` begins, or the end.
    private static func firstEnd(of text: Scalars, at mark: String) -> Scalars.Index {
        var at = text.startIndex
        var escaped = false
        while at < text.endIndex {
            if !escaped, text[at...].starts(with: mark.unicodeScalars) { return at }
            escaped = text[at] == "\\"
            at = text.index(after: at)
        }
        return at
    }

    private static func take(
        from text: inout Scalars, upTo mark: String?, escapable first: Unicode.Scalar, _ second: Unicode.Scalar
    ) -> String {
        let end = mark.map { firstEnd(of: text, at: $0) } ?? text.endIndex
        let piece = text[..<end]
        text = text[end...]
        var result = String.UnicodeScalarView()
        var at = piece.startIndex
        while at < piece.endIndex {
            let next = piece.index(after: at)
            if piece[at] == "\\", next < piece.endIndex {
                let escaped = piece[next]
                if escaped == first || escaped == second || escaped == "n" {
                    result.append(escaped == "n" ? "\n" : escaped)
                    at = piece.index(after: next)
                    continue
                }
            }
            result.append(piece[at])
            at = next
        }
        return String(result)
    }
}

extension String {
    fileprivate mutating func append(
        _ text: String, escaping first: Unicode.Scalar, _ second: Unicode.Scalar
    ) {
        let escapable = [0x0A, 0x0D, UInt8(ascii: first), UInt8(ascii: second)]
        guard text.utf8.contains(where: escapable.contains) else {
            self += text
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\r": self += "\\n"
            case first, second:
                self += "\\"
                unicodeScalars.append(scalar)
            default: unicodeScalars.append(scalar)
            }
        }
    }
}
