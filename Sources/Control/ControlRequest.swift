public import Secrets

/// What a client asks: one case for each verb.
public enum ControlRequest: Sendable, Equatable {
    case ps
    case inspect(id: String)
    /// number nil = all that are kept, in short; 0 = the last one.
    case deaths(id: String, number: Int?)
    case why(id: String)
    case logs(LogsRequest)
    case events(EventsRequest)
    case doctor
    case eval(EvalRequest)
    /// The newest `lines` commands that changed something.
    case audit(lines: Int)
    case start(id: String)
    case stop(id: String)
    case restart(id: String)
    /// `signal` is a name like `SIGTERM`, allowed by `KillSignal`.
    case kill(id: String, signal: KillSignal)
    case call(app: String, service: String, method: String, arguments: [JSONValue])
    /// Background tasks and what they wait for.
    case tasks
    /// `task` is a task's identifier, the beginning of one, or what `inspect` takes for its component.
    case wake(task: String)
    case status
    case shutdown
    /// The configuration, read anew.
    case reload
    case version
    /// Addresses that have storage here.
    case users
    /// News of the login come as items before the answer.
    case signup(address: String, password: Secret)
    case login(address: String, password: Secret)
    case logout
    /// nil = asks only.
    case autologin(on: Bool?)
    case openURL(String)
    case apps(AppsRequest)
    case fault(FaultRequest)

    /// Names of the methods.
    public static let verbs =
        [
            "ps", "inspect", "deaths", "why", "logs", "events", "audit", "doctor", "eval", "start", "stop", "restart",
            "kill", "call", "tasks", "wake", "status", "shutdown", "reload", "version", "users",
            "signup", "login", "logout", "autologin", "open-url", "apps",
        ] + FaultRequest.verbs

    public var verb: String {
        switch self {
        case .ps: "ps"
        case .inspect: "inspect"
        case .deaths: "deaths"
        case .why: "why"
        case .logs: "logs"
        case .events: "events"
        case .doctor: "doctor"
        case .eval: "eval"
        case .audit: "audit"
        case .start: "start"
        case .stop: "stop"
        case .restart: "restart"
        case .kill: "kill"
        case .call: "call"
        case .tasks: "tasks"
        case .wake: "wake"
        case .status: "status"
        case .shutdown: "shutdown"
        case .reload: "reload"
        case .version: "version"
        case .users: "users"
        case .signup: "signup"
        case .login: "login"
        case .logout: "logout"
        case .autologin: "autologin"
        case .openURL: "open-url"
        case .apps: "apps"
        case .fault(let request): request.verb
        }
    }

    /// True when the request changes something: such a one is audited.
    public var changes: Bool {
        switch self {
        case .start, .stop, .restart, .kill, .call, .wake, .eval, .shutdown, .reload, .signup, .login, .logout,
            .openURL:
            true
        case .autologin(let on): on != nil
        case .apps(let request): request.changes
        case .fault(let request): request.changes
        case .ps, .inspect, .deaths, .why, .logs, .events, .audit, .doctor, .tasks, .status, .version,
            .users:
            false
        }
    }

    public static let maxAuditRecords = 1000
    /// Bytes.
    public static let maxURLBytes = 8192
    public static let maxAddressBytes = 512
}

extension ControlRequest {
    /// The `params` of the request.
    public var params: JSONValue {
        switch self {
        case .ps, .doctor, .tasks, .status, .shutdown, .reload, .version, .users, .logout: [:]
        case .signup(let address, let password), .login(let address, let password):
            ["address": .string(address), "password": .string(password.text)]
        case .autologin(let on): ["on": on.map { .bool($0) } ?? .null]
        case .openURL(let url): ["url": .string(url)]
        case .apps(let request): request.params
        case .fault(let request): request.params
        case .deaths(let id, let number): ["id": .string(id), "number": JSONValue(number)]
        case .inspect(let id), .why(let id), .start(let id), .stop(let id), .restart(let id): ["id": .string(id)]
        case .wake(let task): ["task": .string(task)]
        case .logs(let request): request.params
        case .events(let request): request.params
        case .eval(let request): request.params
        case .audit(let lines): ["lines": JSONValue(lines)]
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
            case "tasks": self = .tasks
            case "wake": self = .wake(task: try params.require("task"))
            case "status": self = .status
            case "shutdown": self = .shutdown
            case "reload": self = .reload
            case "version": self = .version
            case "users": self = .users
            case "logout": self = .logout
            case "signup": self = .signup(address: try params.address(), password: try params.secret())
            case "login": self = .login(address: try params.address(), password: try params.secret())
            case "autologin": self = .autologin(on: try params.optional("on"))
            case "apps": self = .apps(try AppsRequest(params: params))
            case "open-url": self = .openURL(try params.bounded("url", ControlRequest.maxURLBytes))
            case "deaths": self = .deaths(id: try params.require("id"), number: try params.optional("number"))
            case "why": self = .why(id: try params.require("id"))
            case "inspect": self = .inspect(id: try params.require("id"))
            case "start": self = .start(id: try params.require("id"))
            case "stop": self = .stop(id: try params.require("id"))
            case "restart": self = .restart(id: try params.require("id"))
            case "logs": self = .logs(try LogsRequest(params: params))
            case "audit": self = .audit(lines: try params.lines())
            case "events": self = .events(try EventsRequest(params: params))
            case "doctor": self = .doctor
            case "eval": self = .eval(try EvalRequest(params: params))
            case "kill":
                let name: String = try params.optional("signal") ?? KillSignal.kill.name
                self = .kill(id: try params.require("id"), signal: try KillSignal.named(name))
            default:
                if let request = try FaultRequest(verb: verb, params: params) {
                    self = .fault(request)
                    return
                }
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

extension JSONValue {
    /// What is found in the place of a password is in no message.
    fileprivate func secret() throws(JSONShapeError) -> Secret {
        let (key, hidden) = ("password", JSONValue.string("(hidden)"))
        guard let text = self[key]?.string else {
            throw JSONShapeError(key: key, expected: "a string", found: self[key] == nil ? .null : hidden)
        }
        do throws(Secret.Failure) {
            return try Secret(text)
        } catch {
            throw JSONShapeError(key: key, expected: "a string of \(Secret.maxBytes) bytes at most", found: hidden)
        }
    }

    fileprivate func address() throws(JSONShapeError) -> String {
        try bounded("address", ControlRequest.maxAddressBytes)
    }

    fileprivate func lines() throws(JSONShapeError) -> Int {
        let lines: Int = try optional("lines") ?? 100
        return min(max(0, lines), ControlRequest.maxAuditRecords)
    }

    fileprivate func bounded(_ key: String, _ maxBytes: Int) throws(JSONShapeError) -> String {
        let text: String = try require(key)
        guard text.utf8.count <= maxBytes else {
            throw JSONShapeError(key: key, expected: "a string of \(maxBytes) bytes at most", found: .string(text))
        }
        return text
    }
}
