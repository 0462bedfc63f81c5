/// A JSON value as read, before its meaning is checked.
enum ConfigurationValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([ConfigurationValue])
    case object([String: ConfigurationValue])

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        // A type that does not fit throws, and the next one is tried; the last one's error is what is wrong.
        if single.decodeNil() {
            self = .null
        } else if let bool = try? single.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? single.decode(Double.self) {
            self = .number(number)
        } else if let text = try? single.decode(String.self) {
            self = .text(text)
        } else if let list = try? single.decode([ConfigurationValue].self) {
            self = .list(list)
        } else {
            self = .object(try single.decode([String: ConfigurationValue].self))
        }
    }

    /// What a person sees there.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
        case .text(let text): "\"\(text.count > 60 ? text.prefix(60) + "…" : text[...])\""
        case .list: "a list"
        case .object: "an object"
        }
    }
}
