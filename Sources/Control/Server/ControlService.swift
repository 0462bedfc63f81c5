/// What stands behind the control socket. Everything happens on the loop's thread.
public protocol ControlService: AnyObject {
    /// Serves one request: now or later it calls `reply` or `fail` on the exchange, once. An exchange that is let go
    /// without that answers with an error.
    func handle(_ request: ControlRequest, _ exchange: ControlExchange)

    /// Called for each request that changes something: when it comes, and again with what became of it.
    func audit(_ entry: AuditEntry)

    /// Something that whoever runs the supervisor should know: a client was refused or put out, a connection could not
    /// be taken. `caller` nil = not known.
    func report(_ text: String, caller: Peer?)
}

/// One line of the audit.
public struct AuditEntry: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        case asked
        case done
        case failed(ControlError)
        /// The client left before the answer; the request goes on.
        case abandoned
    }

    public let caller: Peer
    public let request: ControlRequest
    public let outcome: Outcome

    /// For the log: `stop: done`.
    public var text: String {
        switch outcome {
        case .asked: "\(request.verb): asked"
        case .done: "\(request.verb): done"
        case .failed(let error): "\(request.verb): failed: \(error)"
        case .abandoned: "\(request.verb): the caller left before the answer"
        }
    }

    /// For the log: who asked for what. The arguments of a call are the user's own and left out, and so are passwords and
    /// what stands behind the app of a URL.
    public var fields: [String: String?] {
        var fields: [String: String?] = ["pid": "\(caller.pid)", "uid": "\(caller.uid)"]
        switch request {
        case .inspect(let id), .start(let id), .stop(let id), .restart(let id): fields["id"] = id
        case .kill(let id, let signal):
            fields["id"] = id
            fields["signal"] = signal.name
        case .eval(let request):
            fields["id"] = request.id
            fields["expression"] = String(request.expression.prefix(200))
        case .call(let app, let service, let method, _):
            fields["app"] = app
            fields["service"] = service
            fields["method"] = method
        case .signup(let address, _), .login(let address, _): fields["address"] = address
        case .autologin(let on): fields["on"] = on.map { "\($0)" }
        case .apps(let request):
            fields["action"] = request.action
            fields["app"] = request.app
        case .openURL(let url): fields["url"] = String(url.prefix { $0 != "?" && $0 != "#" }.prefix(200))
        case .ps, .logs, .events, .doctor, .status, .shutdown, .version, .users, .logout: break
        }
        return fields
    }
}
