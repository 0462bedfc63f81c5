/// Where something stands in the file; both count from 1, columns in characters.
package struct Place: Equatable, Sendable {
    package let line: Int
    package let column: Int
}

/// A value as read, before its meaning is checked.
package struct ConfigurationValue {
    package enum Content {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case list([ConfigurationValue])
        case object([String: ConfigurationValue])
    }

    package let place: Place
    package let content: Content

    /// What a person sees there.
    package var shown: String {
        switch content {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Self.shown(number)
        case .text(let text): "\"\(text.count > 60 ? text.prefix(60) + "…" : text[...])\""
        case .list: "a list"
        case .object: "an object"
        }
    }

    static func shown(_ number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }
}
