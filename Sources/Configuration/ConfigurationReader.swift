/// One object of the configuration: knows where it stands, so that its errors do too.
package struct ConfigurationReader {
    package let file: String
    package let keyPath: String
    /// Where it begins.
    package let place: Place
    private let members: [String: ConfigurationValue]

    package init(_ value: ConfigurationValue, file: String, keyPath: String) throws(ConfigurationError) {
        guard case .object(let members) = value.content else {
            throw ConfigurationError(
                file: file, value.place, keyPath: keyPath,
                reason: .wrongType(seen: value.shown, expected: "an object { … }"))
        }
        self.file = file
        self.keyPath = keyPath
        place = value.place
        self.members = members
    }

    package var keys: [String] { members.keys.sorted() }

    /// The line of each value by its keys, those of nested objects joined with a dot: `backoff.first`.
    var lines: [String: Int] {
        var lines: [String: Int] = [:]
        for (key, value) in members {
            if case .object(let inner) = value.content {
                for (name, value) in inner { lines["\(key).\(name)"] = value.place.line }
            } else {
                lines[key] = value.place.line
            }
        }
        return lines
    }

    /// Refuses every key but these.
    package func only(_ known: [String]) throws(ConfigurationError) {
        for key in keys where !known.contains(key) {
            throw error(key, .unknownKey(known: known))
        }
    }

    package func object(_ key: String) throws(ConfigurationError) -> ConfigurationReader? {
        guard let value = members[key] else { return nil }
        return try ConfigurationReader(value, file: file, keyPath: path(key))
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(ConfigurationError) -> Choice? where Choice.RawValue == String {
        guard let value = members[key] else { return nil }
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard case .text(let text) = value.content else {
            throw error(key, .wrongType(seen: value.shown, expected: "one of \(names)"))
        }
        guard let choice = Choice(rawValue: text) else {
            throw error(key, .notInRange(seen: value.shown, allowed: names))
        }
        return choice
    }

    package func bool(_ key: String) throws(ConfigurationError) -> Bool? {
        guard let value = members[key] else { return nil }
        guard case .bool(let bool) = value.content else {
            throw error(key, .wrongType(seen: value.shown, expected: "true or false"))
        }
        return bool
    }

    package func number(_ key: String, in range: ClosedRange<Double>) throws(ConfigurationError) -> Double? {
        guard let value = members[key] else { return nil }
        guard case .number(let number) = value.content else {
            throw error(key, .wrongType(seen: value.shown, expected: "a number"))
        }
        guard range.contains(number) else {
            let allowed =
                "\(ConfigurationValue.shown(range.lowerBound)) to \(ConfigurationValue.shown(range.upperBound))"
            throw error(key, .notInRange(seen: value.shown, allowed: allowed))
        }
        return number
    }

    package func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let number = try number(key, in: Double(range.lowerBound)...Double(range.upperBound)) else { return nil }
        guard let integer = Int(exactly: number) else {
            throw error(key, .wrongType(seen: "\(number)", expected: "a whole number"))
        }
        return integer
    }

    package func duration(_ key: String, in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration? {
        guard let value = members[key] else { return nil }
        guard case .text(let text) = value.content, let duration = Duration(configuration: text) else {
            let expected = "a duration such as \"100ms\", \"10s\", \"5min\" or \"1h\""
            throw error(key, .wrongType(seen: value.shown, expected: expected))
        }
        guard range.contains(duration) else {
            let allowed = "\(range.lowerBound) to \(range.upperBound)"
            throw error(key, .notInRange(seen: value.shown, allowed: allowed))
        }
        return duration
    }

    /// Bytes. `least` may say why no less is allowed.
    package func size(
        _ key: String, in range: ClosedRange<Int>, least: String? = nil
    ) throws(ConfigurationError) -> Int? {
        guard let value = members[key] else { return nil }
        guard case .text(let text) = value.content, let size = Int(configuration: text) else {
            throw error(
                key, .wrongType(seen: value.shown, expected: "a size such as \"512KiB\", \"64MiB\" or \"1GiB\""))
        }
        guard range.contains(size) else {
            let why = least.map { ", \($0)," } ?? ""
            let allowed = "\(range.lowerBound.configuration)\(why) to \(range.upperBound.configuration)"
            throw error(key, .notInRange(seen: value.shown, allowed: allowed))
        }
        return size
    }

    /// A list of texts that `isRight`; `expected` says in words what that means.
    package func texts(
        _ key: String, atMost most: Int, expected: String, _ isRight: (String) -> Bool
    ) throws(ConfigurationError) -> [String]? {
        guard let value = members[key] else { return nil }
        guard case .list(let elements) = value.content, elements.count <= most else {
            throw error(key, .wrongType(seen: value.shown, expected: "a list of at most \(most): \(expected)"))
        }
        var texts: [String] = []
        for element in elements {
            guard case .text(let text) = element.content, isRight(text) else {
                throw ConfigurationError(
                    file: file, element.place, keyPath: path(key),
                    reason: .wrongType(seen: element.shown, expected: expected))
            }
            texts.append(text)
        }
        return texts
    }

    /// Nil where there is no such key.
    package func value(_ key: String) -> ConfigurationValue? { members[key] }

    package func error(_ key: String, _ reason: ConfigurationError.Reason) -> ConfigurationError {
        ConfigurationError(file: file, members[key]?.place, keyPath: path(key), reason: reason)
    }

    package func path(_ key: String) -> String {
        let plain = !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        let shown = plain ? key : "\"\(key)\""
        return keyPath.isEmpty ? shown : "\(keyPath).\(shown)"
    }

}

extension Duration {
    /// A number and a unit: `100ms`, `10s`, `1.5min`, `1h`.
    package init?(configuration text: String) {
        let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard let first = digits.first, first != ".", digits.last != ".", let number = Double(digits) else {
            return nil
        }
        let milliseconds: Double
        switch text.dropFirst(digits.count) {
        case "ms": milliseconds = 1
        case "s": milliseconds = 1000
        case "min": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        default: return nil
        }
        guard number * milliseconds < 1e12 else { return nil }
        self = .nanoseconds(Int64(number * milliseconds * 1e6))
    }
}

extension Int {
    /// A whole number and a unit: `512KiB`, `64MiB`, `1GiB`.
    package init?(configuration text: String) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let shifts = ["KiB": 10, "MiB": 20, "GiB": 30]
        guard let number = Int(digits), let shift = shifts[String(text.dropFirst(digits.count))],
            number <= Int.max >> shift
        else { return nil }
        self = number << shift
    }

    /// What `init(configuration:)` reads.
    var configuration: String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB")] where self > 0 && self % (1 << shift) == 0 {
            return "\(self >> shift)\(unit)"
        }
        return "\(self >> 10)KiB"
    }
}
