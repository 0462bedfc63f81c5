public import Control
internal import FoundationEssentials

/// A JSON Schema (2020-12), as far as the schemas in `docs/schemas` use it: a keyword that is not known here is an error,
/// and so is a member of a value that its schema does not describe.
public struct JSONSchema {
    private let root: JSONValue
    private let file: String

    private static let notes: Set = ["$schema", "$id", "title", "description", "$defs"]

    /// - Parameter word: of the schema's name: `ps` of `corehost.ps/1`.
    public init(_ word: String) throws {
        file = "\(RunningSupervisor.repository)/docs/schemas/\(word).json"
        guard let bytes = FileManager.default.contents(atPath: file) else { throw TestFailure("there is no \(file)") }
        root = try JSONParser.parse(Array(bytes))
        guard root["$schema"] == "https://json-schema.org/draft/2020-12/schema" else {
            throw TestFailure("\(file): not of 2020-12")
        }
    }

    /// By the value's own member `schema`.
    public init(of value: JSONValue) throws {
        guard let name = value["schema"]?.string, name.hasPrefix("corehost."), name.hasSuffix("/1") else {
            throw TestFailure("no schema is named in \(JSONWriter.text(value).prefix(200))")
        }
        try self.init(String(name.dropFirst("corehost.".count).dropLast("/1".count)))
    }

    /// What is wrong with the value, each with its place; empty = nothing.
    public func problems(of value: JSONValue) -> [String] { check(value, root, at: "$").map { "\(file): \($0)" } }

    private func check(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        var problems: [String] = []
        for keyword in schema.members ?? [] where !Self.notes.contains(keyword.key) {
            let wanted = keyword.value
            switch keyword.key {
            case "type":
                let types = wanted.array?.compactMap(\.string) ?? [wanted.string ?? "?"]
                if !types.contains(where: { Self.has(value, $0) }) {
                    problems.append("\(place) is no \(types.joined(separator: " or ")): \(Self.short(value))")
                }
            case "const": if value != wanted { problems.append("\(place) is not \(JSONWriter.text(wanted))") }
            case "enum":
                if wanted.array?.contains(value) != true {
                    problems.append("\(place) is none of \(JSONWriter.text(wanted)): \(Self.short(value))")
                }
            case "required":
                for name in wanted.array?.compactMap(\.string) ?? [] where value.members != nil && value[name] == nil {
                    problems.append("\(place).\(name) is missing")
                }
            case "properties", "additionalProperties": break
            case "items":
                for (index, item) in (value.array ?? []).enumerated() {
                    problems += check(item, wanted, at: "\(place)[\(index)]")
                }
            case "anyOf":
                let each = (wanted.array ?? []).map { check(value, $0, at: place) }
                // What is no null is told about as what it should be.
                guard each.allSatisfy({ !$0.isEmpty }) else { continue }
                problems += each.max { $0.count < $1.count } ?? ["\(place): anyOf of nothing"]
            case "$ref":
                guard let target = definition(wanted.string ?? "") else {
                    problems.append("\(place): nothing is at \(wanted)")
                    continue
                }
                problems += check(value, target, at: place)
            default: problems.append("\(place): keyword \(keyword.key) is not known")
            }
        }
        return problems + checkMembers(value, schema, at: place)
    }

    private func checkMembers(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        guard schema["properties"] != nil || schema["additionalProperties"] != nil else { return [] }
        return (value.members ?? []).flatMap { member -> [String] in
            let place = "\(place).\(member.key)"
            if let property = schema["properties"]?[member.key] { return check(member.value, property, at: place) }
            guard let other = schema["additionalProperties"] else { return ["\(place) is not described"] }
            return check(member.value, other, at: place)
        }
    }

    private func definition(_ reference: String) -> JSONValue? {
        let prefix = "#/$defs/"
        guard reference.hasPrefix(prefix) else { return nil }
        return root["$defs"]?[String(reference.dropFirst(prefix.count))]
    }

    private static func short(_ value: JSONValue) -> Substring { JSONWriter.text(value).prefix(80) }

    private static func has(_ value: JSONValue, _ type: String) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
            ("integer", .int), ("number", .int), ("number", .double):
            true
        case ("integer", .double): value.int != nil
        default: false
        }
    }
}
