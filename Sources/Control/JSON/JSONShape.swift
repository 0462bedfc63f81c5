/// A message or a part of one. `json` writes every key, absent values as null; reading takes null and a missing key
/// alike and leaves unknown keys alone, so that an older client understands a newer supervisor.
public protocol JSONShape: Sendable, Equatable {
    init(json: JSONValue) throws(JSONShapeError)
    var json: JSONValue { get }
}

/// A value that is not what its key asks for.
public struct JSONShapeError: Error, Equatable, CustomStringConvertible {
    public let key: String
    public let expected: String
    public let found: JSONValue

    public var description: String { "\"\(key)\" must be \(expected), not \(JSONWriter.text(found).prefix(80))" }
}

extension JSONValue {
    func require(_ key: String) throws(JSONShapeError) -> String {
        try need(key, "a string", \.string)
    }

    func require(_ key: String) throws(JSONShapeError) -> Bool {
        try need(key, "true or false", \.bool)
    }

    func require(_ key: String) throws(JSONShapeError) -> Int {
        try need(key, "a whole number") { $0.int.flatMap(Int.init(exactly:)) }
    }

    func require(_ key: String) throws(JSONShapeError) -> Double {
        try need(key, "a number", \.double)
    }

    func require(_ key: String) throws(JSONShapeError) -> [String] {
        try need(key, "an array of strings") { value in
            guard let values = value.array else { return nil }
            let strings = values.compactMap(\.string)
            return strings.count == values.count ? strings : nil
        }
    }

    func require<Shape: JSONShape>(_ key: String) throws(JSONShapeError) -> Shape {
        try Shape(json: need(key, "an object") { $0.members == nil ? nil : $0 })
    }

    func require<Shape: JSONShape>(_ key: String) throws(JSONShapeError) -> [Shape] {
        var shapes: [Shape] = []
        for value in try need(key, "an array", \.array) { shapes.append(try Shape(json: value)) }
        return shapes
    }

    func optional(_ key: String) throws(JSONShapeError) -> String? { has(key) ? try require(key) as String : nil }
    func optional(_ key: String) throws(JSONShapeError) -> Bool? { has(key) ? try require(key) as Bool : nil }
    func optional(_ key: String) throws(JSONShapeError) -> Int? { has(key) ? try require(key) as Int : nil }
    func optional(_ key: String) throws(JSONShapeError) -> Double? { has(key) ? try require(key) as Double : nil }
    func optional<Shape: JSONShape>(_ key: String) throws(JSONShapeError) -> Shape? {
        has(key) ? try require(key) as Shape : nil
    }

    private func has(_ key: String) -> Bool { self[key].map { !$0.isNull } ?? false }

    private func need<Value>(
        _ key: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(JSONShapeError) -> Value {
        let found = self[key] ?? .null
        guard let value = read(found) else { throw JSONShapeError(key: key, expected: expected, found: found) }
        return value
    }
}
