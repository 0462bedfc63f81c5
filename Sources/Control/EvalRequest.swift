/// JavaScript to be evaluated in a component, or in the core.
public struct EvalRequest: Sendable, Equatable {
    public static let maxBytes = 64 << 10
    public static let timeouts = 1...60_000

    /// A component, or `core`.
    public var id: String
    public var expression: String
    /// Milliseconds that it may take, its promise included.
    public var timeout: Int

    public init(id: String, expression: String, timeout: Int = 5000) {
        self.id = id
        self.expression = expression
        self.timeout = timeout
    }

    init(params: JSONValue) throws(JSONShapeError) {
        id = try params.require("id")
        expression = try params.require("expression")
        timeout = try params.optional("timeout") ?? 5000
        guard expression.utf8.count <= EvalRequest.maxBytes else {
            throw JSONShapeError(
                key: "expression", expected: "a string of \(EvalRequest.maxBytes) bytes at most",
                found: .string(expression))
        }
        guard EvalRequest.timeouts.contains(timeout) else {
            throw JSONShapeError(key: "timeout", expected: "milliseconds from 1 to 60000", found: JSONValue(timeout))
        }
    }

    var params: JSONValue {
        ["id": .string(id), "expression": .string(expression), "timeout": JSONValue(timeout)]
    }
}

/// `eval`: what the expression gave.
public struct EvalReply: JSONShape {
    public static let schema = "corehost.eval/1"

    /// The component, or `core`.
    public var id: String
    /// JSON where the value has a form in it, else its text; at most 64 KiB and a mark.
    public var value: String

    public init(id: String, value: String) {
        self.id = id
        self.value = value
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        id = try json.require("id")
        value = try json.require("value")
    }

    public var json: JSONValue {
        ["schema": .string(EvalReply.schema), "id": .string(id), "value": .string(value)]
    }
}
