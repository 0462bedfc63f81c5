/// JSON text of a value: keys in their order, numbers that are whole without a fraction (as JavaScript writes them),
/// numbers that JSON has no form for as null.
public enum JSONWriter {
    /// On one line, without blanks.
    public static func text(_ value: JSONValue) -> String {
        var text = ""
        write(value, to: &text, indent: nil)
        return text
    }

    /// For people: two blanks for each level.
    public static func indented(_ value: JSONValue) -> String {
        var text = ""
        write(value, to: &text, indent: 0)
        return text
    }

    private static func write(_ value: JSONValue, to text: inout String, indent: Int?) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .int(let value): text += String(value)
        case .double(let value): text += number(value)
        case .string(let value): write(value, to: &text)
        case .array(let values):
            list(values, "[", "]", to: &text, indent: indent) { value, text, indent in
                write(value, to: &text, indent: indent)
            }
        case .object(let members):
            list(members, "{", "}", to: &text, indent: indent) { member, text, indent in
                write(member.key, to: &text)
                text += indent == nil ? ":" : ": "
                write(member.value, to: &text, indent: indent)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout String, indent: Int?,
        _ write: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            write(element, &text, inner)
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += close
    }

    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        return "\(value)"
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        // Most strings are plain ASCII and go as they are.
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
            text += string
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
