/// Which lines are asked for: the newest `lines` that are in memory as the reply, then, with `follow`, each new one.
public struct LogsRequest: Sendable, Equatable {
    public static let maxLines = 1000
    public static let maxIDs = 64

    /// Empty = the lines of all.
    public var ids: [String]
    public var lines: Int
    public var follow: Bool

    public init(ids: [String] = [], lines: Int = 100, follow: Bool = false) {
        self.ids = ids
        self.lines = lines
        self.follow = follow
    }

    /// `id` is one of `ids`, by itself.
    init(params: JSONValue) throws(JSONShapeError) {
        let one: String? = try params.optional("id")
        let many: [String] = params["ids"].map { $0.isNull } ?? true ? [] : try params.require("ids")
        guard many.count <= LogsRequest.maxIDs else {
            throw JSONShapeError(
                key: "ids", expected: "an array of \(LogsRequest.maxIDs) strings at most", found: JSONValue(many))
        }
        ids = (one.map { [$0] } ?? []) + many
        lines = min(max(0, try params.optional("lines") ?? 100), LogsRequest.maxLines)
        follow = try params.optional("follow") ?? false
    }

    var params: JSONValue {
        ["ids": JSONValue(ids), "lines": JSONValue(lines), "follow": .bool(follow)]
    }
}

extension ControlRequest {
    public static func logs(id: String?, lines: Int, follow: Bool) -> ControlRequest {
        .logs(LogsRequest(ids: id.map { [$0] } ?? [], lines: lines, follow: follow))
    }
}
