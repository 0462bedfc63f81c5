/// One line of the log on its way to a client.
public struct LogEntry: JSONShape {
    public static let schema = "corehost.log/1"
    /// ISO 8601, UTC, milliseconds.
    public var time: String
    /// `debug info notice warning error critical alert emergency`.
    public var level: String
    /// Component id and the number of its life; nil for the supervisor's own lines.
    public var id: String?
    public var generation: Int?
    /// `console output supervisor`.
    public var stream: String
    public var text: String
    /// A key without a value has null.
    public var fields: [String: String?]

    public init(
        time: String, level: String, id: String?, generation: Int?, stream: String, text: String,
        fields: [String: String?] = [:]
    ) {
        self.time = time
        self.level = level
        self.id = id
        self.generation = generation
        self.stream = stream
        self.text = text
        self.fields = fields
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        time = try json.require("time")
        level = try json.require("level")
        id = try json.optional("id")
        generation = try json.optional("generation")
        stream = try json.require("stream")
        text = try json.require("text")
        fields = Dictionary(
            (json["fields"]?.members ?? []).map { ($0.key, $0.value.string) }, uniquingKeysWith: { _, last in last })
    }

    public var json: JSONValue {
        [
            "schema": .string(LogEntry.schema), "time": .string(time), "level": .string(level), "id": JSONValue(id),
            "generation": JSONValue(generation), "stream": .string(stream), "text": .string(text),
            "fields": .object(fields.sorted { $0.key < $1.key }.map { .init($0.key, JSONValue($0.value)) }),
        ]
    }
}

/// `logs`: recent lines, oldest first; with `follow` each later line comes as an item of the request's stream.
public struct LogsReply: JSONShape {
    public static let schema = "corehost.logs/1"
    public var lines: [LogEntry]

    public init(lines: [LogEntry]) { self.lines = lines }
    public init(json: JSONValue) throws(JSONShapeError) { lines = try json.require("lines") }
    public var json: JSONValue { ["schema": .string(LogsReply.schema), "lines": JSONValue(lines)] }
}
