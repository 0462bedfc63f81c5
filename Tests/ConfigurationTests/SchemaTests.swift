import Foundation
import TestSupport
import Testing

@testable import Configuration

/// The schema in `docs/` says what the reader reads.
@Suite struct SchemaTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: RunningSupervisor.repository + "/docs/" + path, encoding: .utf8)
    }

    private static func schema() throws -> Schema {
        Schema(root: try ConfigurationParser.parse(try text("configuration.schema.json")))
    }

    /// What stands in ```jsonc blocks.
    private static func examples() throws -> [String] {
        try text("configuration.md").components(separatedBy: "```jsonc\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }

    @Test func theKeysAreTheReadersAndNoOthers() throws {
        #expect(try Self.schema().keysByPlace() == ConfigurationKeys.byPlace.mapValues { $0.sorted() })
    }

    @Test func everyExampleIsRightForBoth() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 2)
        for example in examples {
            #expect(throws: Never.self, "\(example)") { try Configuration(text: example, file: "example") }
            let problem = try Self.schema().problem(with: try ConfigurationParser.parse(example))
            #expect(problem == nil, "\(example)")
        }
    }

    @Test(arguments: [
        #"{"component": {}}"#, #"{"components": {"*": {"nice": 20}}}"#, #"{"components": {"*": {"nice": "5"}}}"#,
        #"{"components": {"*": {"memory": {"hard": 64}}}}"#, #"{"components": {"*": {"restart": "always"}}}"#,
        #"{"components": {"*": {"engine": {"JSC_useWasm": true}}}}"#, #"{"network": {"dohResolvers": ["http://a"]}}"#,
        #"{"components": {"*": {"background": "windows"}}}"#, #"{"tasks": {"permitted": ["a b"]}}"#,
        #"{"components": {"*": {"window": {"maxLoad": 101}}}}"#, #"{"tasks": {"allowed": []}}"#,
        #"{"components": {"*": {"maxRestarts": 1.5}}}"#,
        #"{"components": {"*": {"stopGrace": "5 s"}}}"#, #"{"systemApps": ["a/b"]}"#, "[]",
    ])
    func whatIsWrongIsWrongForBoth(text: String) throws {
        #expect(throws: ConfigurationError.self) { try Configuration(text: text, file: "f") }
        #expect(try Self.schema().problem(with: try ConfigurationParser.parse(text)) != nil)
    }

    @Test func theDocumentationHasEveryKeyOfAComponent() throws {
        let text = try Self.text("configuration.md")
        for key in ConfigurationKeys.component where key != "engine" {
            #expect(text.contains("`\(key)`") || text.contains("`\(key)."), "\(key)")
        }
        for option in ConfigurationKeys.engine { #expect(text.contains("`\(option)`"), "\(option)") }
    }
}

/// As much of JSON Schema as the file uses; a keyword that it does not know is a problem.
private struct Schema {
    let root: ConfigurationValue

    func problem(with value: ConfigurationValue) -> String? { problem(with: value, root, at: "") }

    func keysByPlace() -> [String: [String]] {
        var places: [String: [String]] = [:]
        collect(root, at: "", into: &places)
        return places
    }

    private func collect(_ rule: ConfigurationValue, at place: String, into places: inout [String: [String]]) {
        let rule = resolved(rule)
        let below = { (key: String) in place.isEmpty ? key : "\(place).\(key)" }
        if let properties = rule["properties"]?.members {
            places[place] = properties.keys.sorted()
            for (key, rule) in properties { collect(rule, at: below(key), into: &places) }
        }
        if let others = rule["additionalProperties"], others.members != nil {
            collect(others, at: below("*"), into: &places)
        }
    }

    private func resolved(_ rule: ConfigurationValue) -> ConfigurationValue {
        guard let name = rule["$ref"]?.text?.split(separator: "/").last,
            let target = root["$defs"]?[String(name)]
        else { return rule }
        return target
    }

    private func problem(with value: ConfigurationValue, _ rule: ConfigurationValue, at place: String) -> String? {
        let rule = resolved(rule)
        for (keyword, wanted) in rule.members ?? [:] {
            switch keyword {
            case "$schema", "$defs", "title", "description", "additionalProperties": break
            case "type": if !value.isOf(type: wanted.text ?? "") { return "\(place): is no \(wanted.shown)" }
            case "enum":
                if wanted.elements?.contains(where: { $0.text == value.text }) != true {
                    return "\(place): not in enum"
                }
            case "minimum": if let number = value.number, number < wanted.number ?? 0 { return "\(place): too small" }
            case "maximum": if let number = value.number, number > wanted.number ?? 0 { return "\(place): too large" }
            case "maxItems":
                if Double(value.elements?.count ?? 0) > wanted.number ?? 0 { return "\(place): too many" }
            case "pattern":
                if let text = value.text, text.range(of: wanted.text ?? "", options: .regularExpression) == nil {
                    return "\(place): \(text) is not as \(wanted.shown)"
                }
            case "items":
                for element in value.elements ?? [] {
                    if let problem = problem(with: element, wanted, at: "\(place)[]") { return problem }
                }
            case "properties": break
            default: return "the schema has \(keyword)"
            }
        }
        for (key, member) in value.members ?? [:] {
            let below = "\(place).\(key)"
            if let rule = rule["properties"]?[key] {
                if let problem = problem(with: member, rule, at: below) { return problem }
            } else if let others = rule["additionalProperties"] {
                guard others.members != nil else { return "\(below): unknown" }
                if let problem = problem(with: member, others, at: below) { return problem }
            }
        }
        return nil
    }
}

extension ConfigurationValue {
    fileprivate var members: [String: ConfigurationValue]? {
        if case .object(let members) = content { members } else { nil }
    }
    fileprivate var elements: [ConfigurationValue]? { if case .list(let elements) = content { elements } else { nil } }
    fileprivate var text: String? { if case .text(let text) = content { text } else { nil } }
    fileprivate var number: Double? { if case .number(let number) = content { number } else { nil } }

    fileprivate subscript(key: String) -> ConfigurationValue? { members?[key] }

    fileprivate func isOf(type: String) -> Bool {
        switch (type, content) {
        case ("object", .object), ("array", .list), ("string", .text), ("number", .number), ("boolean", .bool): true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}
