/// Why a request was not served, as it travels in a reply's `error`.
///
/// `code` is −32000 − exit code, or one of JSON-RPC's own. `data`: for an ambiguous id `{"candidates": [..]}`, for a
/// rejected call `{"exception": ..}`, else null.
public struct ControlError: Error, Equatable, CustomStringConvertible {
    public static let parseError = -32700
    public static let invalidRequest = -32600
    public static let unknownMethod = -32601
    public static let invalidParams = -32602

    public let code: Int
    public let message: String
    public let data: JSONValue

    public init(code: Int, message: String, data: JSONValue = .null) {
        self.code = code
        self.message = message
        self.data = data
    }

    public init(_ exit: ExitCode, _ message: String, data: JSONValue = .null) {
        self.init(code: -32000 - Int(exit.rawValue), message: message, data: data)
    }

    /// - Parameter problems: what is wrong with the app that the id may mean.
    public static func noSuchComponent(_ id: String, problems: [String] = []) -> ControlError {
        let why = problems.isEmpty ? "" : " (\(problems.joined(separator: "; ")))"
        return ControlError(.noSuchID, "no component is called \(quoted(id))\(why); `corehost ps` lists them")
    }

    public static func ambiguous(_ id: String, candidates: [String]) -> ControlError {
        ControlError(
            .noSuchID, "\(quoted(id)) can be \(candidates.joined(separator: ", ")): give more of the id",
            data: ["candidates": JSONValue(candidates)])
    }

    /// `exception` is what the service threw.
    public static func callRejected(_ exception: JSONValue) -> ControlError {
        let reason = exception["message"]?.string ?? exception["type"]?.string ?? "see the exception"
        return ControlError(.callRejected, "the call was rejected: \(reason)", data: ["exception": exception])
    }

    /// What the command line ends with.
    public var exitCode: ExitCode {
        if code == ControlError.invalidParams { return .usage }
        return Int32(exactly: -32000 - code).flatMap(ExitCode.init(rawValue:)) ?? .failed
    }

    public var description: String { message }

    private static func quoted(_ id: String) -> String { "\"\(id)\"" }
}

extension ControlError: JSONShape {
    public init(json: JSONValue) throws(JSONShapeError) {
        code = try json.require("code")
        message = try json.require("message")
        data = json["data"] ?? .null
    }

    public var json: JSONValue {
        var members: [JSONValue.Member] = [.init("code", JSONValue(code)), .init("message", .string(message))]
        if !data.isNull { members.append(.init("data", data)) }
        return .object(members)
    }
}
