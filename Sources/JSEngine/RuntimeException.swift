/// An exception object of the platform, `{runtimeException: true, type, …}`, thrown by native code into JavaScript.
public struct RuntimeException: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Field: Equatable, Sendable {
        case flag(Bool)
        case text(String)
        case number(Double)
        case texts([String])
    }

    /// `file`, `ipc`, `rpc`, …
    public let type: String
    public var fields: [String: Field]

    public init(type: String, _ fields: [String: Field] = [:]) {
        self.type = type
        self.fields = fields
    }

    public static func notImplemented(port: String) -> RuntimeException {
        RuntimeException(
            type: "port",
            [
                "port": .text(port), "notImplemented": .flag(true),
                "message": .text("no native port \"\(port)\" in this context; status --json lists the core's"),
            ])
    }

    /// Arguments of a port that are missing, of the wrong type or out of range.
    public static func badArgument(port: String, _ message: String) -> RuntimeException {
        RuntimeException(
            type: "port", ["port": .text(port), "badArgument": .flag(true), "message": .text("\(port): \(message)")])
    }

    public var description: String {
        if case .text(let message)? = fields["message"] { return "\(type) exception: \(message)" }
        return "\(type) exception: \(fields.keys.sorted().joined(separator: ", "))"
    }
}
