internal import Control

/// A JSON value in whose texts `${name}` stands for a value that is known only later. A text that is nothing but one such
/// place becomes that value, of whatever type.
public struct Template: Equatable, Sendable {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// Names of the places.
    var names: Set<String> { Self.names(in: value) }

    /// A place without a value stays as it is.
    func filled(with values: [String: JSONValue]) -> JSONValue { Self.fill(value, values) }

    private static func names(in value: JSONValue) -> Set<String> {
        switch value {
        case .string(let text):
            Set(parts(of: text).compactMap { if case .place(let name) = $0 { name } else { nil } })
        case .array(let values): values.reduce(into: []) { $0.formUnion(names(in: $1)) }
        case .object(let members): members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
        case .null, .bool, .int, .double: []
        }
    }

    private static func fill(_ value: JSONValue, _ values: [String: JSONValue]) -> JSONValue {
        switch value {
        case .string(let text):
            let parts = parts(of: text)
            if parts.count == 1, case .place(let name) = parts[0], let value = values[name] { return value }
            return .string(
                parts.map { part in
                    switch part {
                    case .text(let text): String(text)
                    case .place(let name): values[name].map(shown) ?? "${\(name)}"
                    }
                }.joined())
        case .array(let elements): return .array(elements.map { fill($0, values) })
        case .object(let members): return .object(members.map { .init($0.key, fill($0.value, values)) })
        case .null, .bool, .int, .double: return value
        }
    }

    private static func shown(_ value: JSONValue) -> String { value.string ?? JSONWriter.text(value) }

    private enum Part {
        case text(Substring)
        case place(String)
    }

    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            let behind = rest.index(after: dollar)
            guard behind < rest.endIndex, rest[behind] == "{", let end = rest[behind...].firstIndex(of: "}") else {
                parts.append(.text(rest[..<behind]))
                rest = rest[behind...]
                continue
            }
            if dollar > rest.startIndex { parts.append(.text(rest[..<dollar])) }
            parts.append(.place(String(rest[rest.index(after: behind)..<end])))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(.text(rest)) }
        return parts
    }
}

extension JSONValue {
    /// Whether this is as `wanted`: objects may have more members than it has, numbers are compared by their value.
    func isAs(_ wanted: JSONValue) -> Bool {
        switch wanted {
        case .object(let members):
            self.members != nil && members.allSatisfy { member in self[member.key]?.isAs(member.value) ?? false }
        case .array(let elements):
            array.map { $0.count == elements.count && zip($0, elements).allSatisfy { $0.isAs($1) } } ?? false
        case .int, .double: double == wanted.double
        case .null, .bool, .string: self == wanted
        }
    }
}
