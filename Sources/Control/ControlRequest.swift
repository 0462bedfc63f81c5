/// What a client asks: one case for each verb.
public enum ControlRequest: Sendable, Equatable {
    case ps
    case inspect(id: String)
    /// id nil = the lines of all; the newest `lines` first as the reply, then, with `follow`, each new one.
    case logs(id: String?, lines: Int, follow: Bool)
    case start(id: String)
    case stop(id: String)
    case restart(id: String)
    /// `signal` is a name like `SIGTERM`, allowed by `KillSignal`.
    case kill(id: String, signal: KillSignal)
    case call(app: String, service: String, method: String, arguments: [JSONValue])
    case status
    case shutdown
    case version

    /// Names of the methods.
    public static let verbs = [
        "ps", "inspect", "logs", "start", "stop", "restart", "kill", "call", "status", "shutdown", "version",
    ]

    public var verb: String {
        switch self {
        case .ps: "ps"
        case .inspect: "inspect"
        case .logs: "logs"
        case .start: "start"
        case .stop: "stop"
        case .restart: "restart"
        case .kill: "kill"
        case .call: "call"
        case .status: "status"
        case .shutdown: "shutdown"
        case .version: "version"
        }
    }

    /// True when the request changes something: such a one is audited.
    public var changes: Bool {
        switch self {
        case .start, .stop, .restart, .kill, .call, .shutdown: true
        case .ps, .inspect, .logs, .status, .version: false
        }
    }

    public static let maxLogLines = 1000
}

extension ControlRequest {
    /// The `params` of the request.
    public var params: JSONValue {
        switch self {
        case .ps, .status, .shutdown, .version: [:]
        case .inspect(let id), .start(let id), .stop(let id), .restart(let id): ["id": .string(id)]
        case .logs(let id, let lines, let follow):
            ["id": JSONValue(id), "lines": JSONValue(lines), "follow": .bool(follow)]
        case .kill(let id, let signal): ["id": .string(id), "signal": .string(signal.name)]
        case .call(let app, let service, let method, let arguments):
            [
                "app": .string(app), "service": .string(service), "method": .string(method),
                "arguments": .array(arguments),
            ]
        }
    }

    /// - Throws: `ControlError` with the code for an unknown method or for invalid params.
    public init(verb: String, params: JSONValue) throws(ControlError) {
        guard ControlRequest.verbs.contains(verb) else {
            throw ControlError(
                code: ControlError.unknownMethod,
                message: "there is no method \"\(verb.prefix(80))\"; methods are "
                    + ControlRequest.verbs.joined(separator: ", "))
        }
        guard params.isNull || params.members != nil else {
            throw ControlError(code: ControlError.invalidParams, message: "\(verb): \"params\" must be an object")
        }
        do throws(JSONShapeError) {
            switch verb {
            case "ps": self = .ps
            case "status": self = .status
            case "shutdown": self = .shutdown
            case "version": self = .version
            case "inspect": self = .inspect(id: try params.require("id"))
            case "start": self = .start(id: try params.require("id"))
            case "stop": self = .stop(id: try params.require("id"))
            case "restart": self = .restart(id: try params.require("id"))
            case "logs":
                let lines: Int = try params.optional("lines") ?? 100
                self = .logs(
                    id: try params.optional("id"), lines: min(max(0, lines), ControlRequest.maxLogLines),
                    follow: try params.optional("follow") ?? false)
            case "kill":
                let name: String = try params.optional("signal") ?? KillSignal.kill.name
                self = .kill(id: try params.require("id"), signal: try KillSignal.named(name))
            default:
                let arguments = params["arguments"] ?? .null
                guard arguments.isNull || arguments.array != nil else {
                    throw JSONShapeError(key: "arguments", expected: "an array", found: arguments)
                }
                self = .call(
                    app: try params.require("app"), service: try params.require("service"),
                    method: try params.require("method"), arguments: arguments.array ?? [])
            }
        } catch {
            throw ControlError(code: ControlError.invalidParams, message: "\(verb): \(error)")
        }
    }
}

extension KillSignal {
    fileprivate static func named(_ name: String) throws(JSONShapeError) -> KillSignal {
        switch KillSignal.parse(name) {
        case .success(let signal): return signal
        case .failure: throw JSONShapeError(key: "signal", expected: KillSignal.expected, found: .string(name))
        }
    }
}
