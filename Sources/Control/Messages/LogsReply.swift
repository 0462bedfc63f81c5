public import Logging

/// One line of the log on its way to a client.
///
///     {"schema": "corehost.log/1", "time": ISO 8601, "level": word, "id": component or null for the supervisor,
///      "generation": number or null, "stream": "console" | "output" | "supervisor", "text": ..,
///      "fields": {key: string or null}}
public struct LogEntry: JSONShape {
    public static let schema = "corehost.log/1"
    public var line: LogLine

    public init(_ line: LogLine) { self.line = line }

    public init(json: JSONValue) throws(JSONShapeError) {
        let time: String = try json.require("time")
        let level: String = try json.require("level")
        let stream: String = try json.require("stream")
        let generation: Int? = try json.optional("generation")
        guard let time = LogTime(time) else {
            throw JSONShapeError(key: "time", expected: "a time in ISO 8601", found: .string(time))
        }
        guard let level = LogLevel(name: level) else {
            throw JSONShapeError(key: "level", expected: "a level", found: .string(level))
        }
        guard let stream = LogStream(rawValue: stream) else {
            throw JSONShapeError(key: "stream", expected: "console, output or supervisor", found: .string(stream))
        }
        let id: String? = try json.optional("id")
        let fields = (json["fields"]?.members ?? []).map { ($0.key, $0.value.string) }
        line = LogLine(
            time: time, level: level,
            source: id.map { .component(id: $0, generation: UInt64(clamping: generation ?? 0)) } ?? .supervisor,
            stream: stream, text: try json.require("text"),
            fields: Dictionary(fields, uniquingKeysWith: { _, last in last }))
    }

    public var json: JSONValue {
        var generation: UInt64?
        if case .component(_, let number) = line.source { generation = number }
        return [
            "schema": .string(LogEntry.schema), "time": .string(line.time.description),
            "level": .string(line.level.name), "id": JSONValue(line.source.component),
            "generation": JSONValue(generation), "stream": .string(line.stream.rawValue), "text": .string(line.text),
            "fields": .object(line.fields.sorted { $0.key < $1.key }.map { .init($0.key, JSONValue($0.value)) }),
        ]
    }
}

/// `logs`: recent lines, oldest first; with `follow` each later line comes as an item of the request's stream.
public struct LogsReply: JSONShape {
    public static let schema = "corehost.logs/1"
    public var lines: [LogEntry]
    /// The ids that those of the request stand for; empty = all.
    public var ids: [String]

    public init(lines: [LogEntry], ids: [String] = []) {
        self.lines = lines
        self.ids = ids
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        lines = try json.require("lines")
        ids = json["ids"] == nil ? [] : try json.require("ids")
    }

    public var json: JSONValue {
        ["schema": .string(LogsReply.schema), "lines": JSONValue(lines), "ids": JSONValue(ids)]
    }
}
