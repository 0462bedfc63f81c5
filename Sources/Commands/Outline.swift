internal import Control

/// An object for people: a line for each member, nested ones indented, names in words, figures with units.
enum Outline {
    static func lines(_ object: JSONValue, console: Console) -> [String] {
        let members = (object.members ?? []).filter { $0.key != "schema" }
        let width = members.map { words($0.key).count }.max() ?? 0
        return members.flatMap { member -> [String] in
            let name = words(member.key)
            switch member.value {
            case .object(let inner) where !inner.isEmpty:
                return ["\(name):"] + lines(member.value, console: console).map { "  " + $0 }
            case .array(let values) where !values.isEmpty && values.allSatisfy({ $0.string == nil }):
                return ["\(name):"]
                    + values.flatMap { value in lines(value, console: console).map { "  " + $0 } }
            case .array(let values) where values.count > 1 && values.contains { $0.string?.contains(" ") == true }:
                return ["\(name):"] + values.map { "  " + console.clean($0.string ?? "") }
            default:
                let blanks = String(repeating: " ", count: width - name.count)
                return ["\(name): \(blanks)\(console.clean(text(member.value, of: member.key)))"]
            }
        }
    }

    private static func text(_ value: JSONValue, of key: String) -> String {
        if let figure = value.double {
            if sizes.contains(key) { return HumanUnits.size(Int(figure)) }
            if lags.contains(key) { return HumanUnits.lag(figure) }
            if durations.contains(key) { return HumanUnits.duration(figure) }
        }
        switch value {
        case .null: return "-"
        case .string(let text): return text
        case .array(let values): return values.isEmpty ? "-" : values.compactMap(\.string).joined(separator: ", ")
        default: return JSONWriter.text(value)
        }
    }

    private static let sizes: Set = [
        "memory", "proportionalMemory", "bytesIn", "bytesOut", "queued", "mostQueued", "unknown", "thrownAway",
        "partialFrame",
    ]
    private static let durations: Set = ["uptime", "period", "nextIn", "cpu", "age", "due", "silentFor", "blocked"]
    private static let lags: Set = ["lag"]

    /// `lastExit` → `last exit`.
    private static func words(_ key: String) -> String {
        key.reduce(into: "") { words, character in
            words += character.isUppercase ? " " + character.lowercased() : String(character)
        }
    }
}
