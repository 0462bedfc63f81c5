/// Parser of JSON with comments: JSON (RFC 8259) with `// …`, `/* … */` and a comma behind the last element. Every value
/// keeps its place in the file.
package struct ConfigurationParser {
    package struct Failure: Error, Equatable {
        package let place: Place
        package let message: String
    }

    private static let deepest = 64

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0

    package static func parse(_ text: String) throws(Failure) -> ConfigurationValue {
        var parser = ConfigurationParser(scalars: Array(text.unicodeScalars))
        try parser.skipBlanks()
        let value = try parser.value()
        try parser.skipBlanks()
        if let scalar = parser.current { throw parser.failure("\(parser.shown(scalar)) after the end of the value") }
        return value
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
    private var place: Place { Place(line: line, column: position - lineStart + 1) }

    private func failure(_ message: String) -> Failure { Failure(place: place, message: message) }

    private func shown(_ scalar: Unicode.Scalar?) -> String {
        guard let scalar else { return "the end of the file" }
        return scalar.value < 0x20 ? "character \(scalar.value)" : "\"\(scalar)\""
    }

    private mutating func advance() {
        if current == "\n" {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        advance()
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar, _ purpose: String) throws(Failure) {
        guard take(scalar) else { throw failure("\(shown(current)) where \"\(scalar)\" \(purpose) was expected") }
    }

    private mutating func skipBlanks() throws(Failure) {
        while let scalar = current {
            if [" ", "\t", "\r", "\n", "\u{FEFF}"].contains(scalar) {
                advance()
            } else if scalar == "/" {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(Failure) {
        let begin = failure("a comment that does not end")
        advance()
        if take("/") {
            while let scalar = current, scalar != "\n" { _ = take(scalar) }
            return
        }
        try expect("*", "or \"/\" of a comment")
        while !(take("*") && current == "/") {
            guard let scalar = current else { throw begin }
            if scalar != "*" { advance() }
        }
        advance()
    }

    private mutating func value() throws(Failure) -> ConfigurationValue {
        let place = place
        let content: ConfigurationValue.Content
        switch current {
        case let digit? where ("0"..."9").contains(digit): content = .number(try number())
        case "-": content = .number(try number())
        case "{": content = .object(try object())
        case "[": content = try list()
        case "\"": content = .text(try text())
        default: content = try word()
        }
        return ConfigurationValue(place: place, content: content)
    }

    private mutating func descend() throws(Failure) {
        depth += 1
        if depth > Self.deepest { throw failure("nested deeper than \(Self.deepest)") }
        advance()
        try skipBlanks()
    }

    private mutating func object() throws(Failure) -> [String: ConfigurationValue] {
        var members: [String: ConfigurationValue] = [:]
        try descend()
        while !take("}") {
            guard current == "\"" else {
                throw failure("\(shown(current)) where a key in quotes or \"}\" was expected")
            }
            let beforeKey = failure("the same key a second time")
            let key = try text()
            if members[key] != nil { throw beforeKey }
            try skipBlanks()
            try expect(":", "behind a key")
            try skipBlanks()
            members[key] = try value()
            try skipBlanks()
            if current != "}" { try expect(",", "or \"}\"") }
            try skipBlanks()
        }
        depth -= 1
        return members
    }

    private mutating func list() throws(Failure) -> ConfigurationValue.Content {
        var elements: [ConfigurationValue] = []
        try descend()
        while !take("]") {
            elements.append(try value())
            try skipBlanks()
            if current != "]" { try expect(",", "or \"]\"") }
            try skipBlanks()
        }
        depth -= 1
        return .list(elements)
    }

    private mutating func word() throws(Failure) -> ConfigurationValue.Content {
        let begin = position
        let unknown = failure("\(shown(current)) where a value was expected")
        while let scalar = current, scalar.properties.isAlphabetic { advance() }
        switch String(String.UnicodeScalarView(scalars[begin..<position])) {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: throw unknown
        }
    }

    private mutating func number() throws(Failure) -> Double {
        let begin = position
        let wrong = failure("a number that JSON does not know")
        _ = take("-")
        let startsWithZero = current == "0"
        let digits = takeDigits()
        guard digits > 0, !(startsWithZero && digits > 1) else { throw wrong }
        if take("."), takeDigits() == 0 { throw wrong }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if takeDigits() == 0 { throw wrong }
        }
        guard let number = Double(String(String.UnicodeScalarView(scalars[begin..<position]))) else { throw wrong }
        return number
    }

    private mutating func takeDigits() -> Int {
        let begin = position
        while let scalar = current, ("0"..."9").contains(scalar) { advance() }
        return position - begin
    }

    private mutating func text() throws(Failure) -> String {
        let begin = failure("a text whose closing quote is missing")
        advance()
        var text = String.UnicodeScalarView()
        while let scalar = current, scalar != "\n" {
            if take("\"") { return String(text) }
            if scalar.value < 0x20 { throw failure("\(shown(scalar)) in a text; write an escape") }
            if take("\\") {
                text.append(try escape())
            } else {
                text.append(scalar)
                advance()
            }
        }
        throw begin
    }

    /// Behind the backslash.
    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        let simple: [Unicode.Scalar: Unicode.Scalar] = [
            "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
        ]
        if let scalar = current, let meant = simple[scalar] {
            advance()
            return meant
        }
        let wrong = failure("an escape that JSON does not know")
        guard take("u") else { throw wrong }
        var unit = try hexadecimal(wrong)
        if (0xD800..<0xDC00).contains(unit), take("\\"), take("u") {
            let low = try hexadecimal(wrong)
            guard (0xDC00..<0xE000).contains(low) else { throw wrong }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw wrong }
        return scalar
    }

    private mutating func hexadecimal(_ wrong: Failure) throws(Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = current, let digit = Character(scalar).hexDigitValue else { throw wrong }
            unit = unit << 4 + UInt32(digit)
            advance()
        }
        return unit
    }
}
