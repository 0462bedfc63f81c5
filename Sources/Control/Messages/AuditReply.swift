public import Logging

/// One command that was asked for and changed something, or was to.
///
///     {"schema": "corehost.audit-record/1", "time": ISO 8601, "verb": .., "arguments": {name: string},
///      "pid": number, "uid": number, "command": the caller's program, "outcome": "done" | "failed" | "abandoned",
///      "code": exit code of the failure or null, "message": why it failed or null, "took": milliseconds}
///
/// Arguments have nothing of passwords, of what a service is called with, or of a URL's query. Long texts are cut.
public struct AuditRecord: JSONShape {
    public static let schema = "corehost.audit-record/1"
    static let maxScalars = 200

    /// When it was settled.
    public var time: LogTime
    public var verb: String
    public var arguments: [String: String]
    public var pid: Int
    public var uid: Int
    public var command: String
    public var outcome: String
    public var code: Int?
    public var message: String?
    public var took: Double

    /// Nil for one that is not settled yet.
    public init?(_ entry: AuditEntry, at time: LogTime) {
        switch entry.outcome {
        case .asked: return nil
        case .done: outcome = "done"
        case .failed(let error):
            outcome = "failed"
            code = Int(error.exitCode.rawValue)
            message = Self.cut(error.message)
        case .abandoned: outcome = "abandoned"
        }
        self.time = time
        verb = entry.request.verb
        arguments = entry.request.auditedArguments.mapValues(Self.cut)
        pid = Int(entry.caller.pid)
        uid = Int(entry.caller.uid)
        command = Self.cut(entry.command)
        took = entry.took / .milliseconds(1)
    }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= maxScalars ? text : String(scalars.prefix(maxScalars)) + "…"
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        let time: String = try json.require("time")
        guard let time = LogTime(time) else {
            throw JSONShapeError(key: "time", expected: "a time in ISO 8601", found: .string(time))
        }
        self.time = time
        verb = try json.require("verb")
        let members = json["arguments"]?.members ?? []
        arguments = Dictionary(
            members.compactMap { member in member.value.string.map { (member.key, $0) } },
            uniquingKeysWith: { _, last in last })
        pid = try json.require("pid")
        uid = try json.require("uid")
        command = try json.require("command")
        outcome = try json.require("outcome")
        code = try json.optional("code")
        message = try json.optional("message")
        took = try json.require("took")
    }

    public var json: JSONValue {
        [
            "schema": .string(Self.schema), "time": .string(time.description), "verb": .string(verb),
            "arguments": .object(arguments.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }),
            "pid": JSONValue(pid), "uid": JSONValue(uid), "command": .string(command), "outcome": .string(outcome),
            "code": JSONValue(code), "message": JSONValue(message), "took": .double((took * 10).rounded() / 10),
        ]
    }
}

/// `audit`: the newest records, oldest first.
public struct AuditReply: JSONShape {
    public static let schema = "corehost.audit/1"
    public var records: [AuditRecord]

    public init(records: [AuditRecord]) { self.records = records }
    public init(json: JSONValue) throws(JSONShapeError) { records = try json.require("records") }
    public var json: JSONValue { ["schema": .string(Self.schema), "records": JSONValue(records)] }
}
