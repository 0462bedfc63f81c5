/// Where and why a text is not JSON (RFC 8259).
public struct JSONError: Error, Equatable, CustomStringConvertible {
    public let offset: Int
    public let reason: String

    public var description: String { "not JSON at byte \(offset): \(reason)" }
}

/// Reads one JSON text (RFC 8259) from UTF-8. Strict: no comments, no trailing commas, nothing behind the value, no
/// nesting beyond 128, no invalid UTF-8, no lone surrogates.
public struct JSONParser {
    public static let maxDepth = 128

    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    public static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Array(text.utf8)) }

    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value()
        parser.skipBlanks()
        guard parser.at == bytes.count else { throw parser.error("something behind the value") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func error(_ reason: String) -> JSONError { JSONError(offset: at, reason: reason) }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        at += 1
        return true
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipBlanks()
        switch next {
        case nil: throw error("a value is missing")
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < JSONParser.maxDepth else { throw error("nested deeper than \(JSONParser.maxDepth)") }
        depth += 1
        at += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        skipBlanks()
        if take("}") { return .object([]) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw error("a key is missing") }
            let key = try string()
            skipBlanks()
            guard take(":") else { throw error("a colon is missing") }
            members.append(.init(key, try value()))
            skipBlanks()
            if take("}") { return .object(members) }
            guard take(",") else { throw error("a comma or } is missing") }
        }
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var values: [JSONValue] = []
        skipBlanks()
        if take("]") { return .array([]) }
        while true {
            values.append(try value())
            skipBlanks()
            if take("]") { return .array(values) }
            guard take(",") else { throw error("a comma or ] is missing") }
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[at...].starts(with: word.utf8) else { throw error("no value begins like this") }
        at += word.utf8.count
        return value
    }

    private mutating func digits() throws(JSONError) {
        guard let byte = next, isDigit(byte) else { throw error("a digit is missing") }
        while let byte = next, isDigit(byte) { at += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = at
        let negative = take("-")
        guard let first = next, isDigit(first) else {
            at = start
            throw error(negative ? "a digit is missing" : "no value begins like this")
        }
        if !take("0") { try digits() }
        var whole = true
        if take(".") {
            whole = false
            try digits()
        }
        if take("e") || take("E") {
            whole = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if whole, let value = Int64(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else {
            throw error("the number \(text.prefix(40)) is too large")
        }
        return .double(value)
    }

    private mutating func string() throws(JSONError) -> String {
        at += 1
        var result: [UInt8] = []
        var start = at
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                result += bytes[start..<at]
                at += 1
                if byte == UInt8(ascii: "\"") {
                    guard let text = String(validating: result, as: UTF8.self) else { throw error("not UTF-8") }
                    return text
                }
                result += try escape()
                start = at
            case 0..<0x20: throw error("a control character in a string")
            default: at += 1
            }
        }
        throw error("a string has no end")
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = next else { throw error("a string has no end") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw error("unknown escape")
        }
        var code = try fourHexDigits()
        if code & 0xFC00 == 0xD800 {
            guard take("\\"), take("u") else { throw error("half of a surrogate pair") }
            let low = try fourHexDigits()
            guard low & 0xFC00 == 0xDC00 else { throw error("half of a surrogate pair") }
            code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("half of a surrogate pair") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        let digits = bytes[at...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("four hexadecimal digits are missing") }
        at += 4
        return code
    }
}
