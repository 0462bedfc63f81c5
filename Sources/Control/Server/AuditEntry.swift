internal import Glibc

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
    /// The name of the caller's program when it asked; empty if it had gone by then.
    public let command: String
    public let request: ControlRequest
    public let outcome: Outcome
    /// Since it was asked.
    public let took: Duration

    /// For the log: `stop: done`.
    public var text: String {
        switch outcome {
        case .asked: "\(request.verb): asked"
        case .done: "\(request.verb): done"
        case .failed(let error): "\(request.verb): failed: \(error)"
        case .abandoned: "\(request.verb): the caller left before the answer"
        }
    }

    /// For the log: who asked for what.
    public var fields: [String: String?] {
        request.auditedArguments.merging(["pid": "\(caller.pid)", "uid": "\(caller.uid)"]) { $1 }
    }
}

extension ControlRequest {
    /// The arguments of a call are the user's own and left out, and so are passwords and what stands behind the app of a
    /// URL.
    var auditedArguments: [String: String] {
        switch self {
        case .inspect(let id), .deaths(let id, _), .why(let id), .start(let id), .stop(let id), .restart(let id):
            return ["id": id]
        case .wake(let task): return ["task": String(task.prefix(200))]
        case .eval(let request): return ["id": request.id, "expression": String(request.expression.prefix(200))]
        case .kill(let id, let signal): return ["id": id, "signal": signal.name]
        case .call(let app, let service, let method, _): return ["app": app, "service": service, "method": method]
        case .signup(let address, _), .login(let address, _): return ["address": address]
        case .autologin(let on): return on.map { ["on": "\($0)"] } ?? [:]
        case .apps(let request):
            return ["action": request.action].merging(request.app.map { ["app": $0] } ?? [:]) { $1 }
        case .fault(let request): return request.auditedArguments
        case .openURL(let url): return ["url": String(url.prefix { $0 != "?" && $0 != "#" }.prefix(200))]
        case .ps, .logs, .events, .audit, .doctor, .tasks, .status, .shutdown, .reload, .version, .users, .logout:
            return [:]
        }
    }
}

/// What the kernel calls a process: at most 15 bytes.
enum ProcessName {
    static func of(_ pid: Int32) -> String {
        let descriptor = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
