internal import Glibc

/// A blocking client of the control socket, for the command line and for tests. One request at a time.
///
/// Every failure is a `ControlError` that carries the exit code: `notRunning` when nobody listens, `timedOut`,
/// `refused` when the socket is another user's, `failed` when the connection breaks, and whatever the supervisor says.
public final class ControlClient {
    private let path: String
    private let connection: LineConnection
    private var lastID = 0

    /// - Throws: at once, when nobody listens at `path`.
    public init(path: String) throws(ControlError) {
        self.path = path
        guard path.utf8.count <= UnixSocket.maxPathBytes else {
            let error = ControlSocketError(path: path, reason: .pathTooLong(bytes: path.utf8.count))
            throw ControlError(.usage, error.description)
        }
        do throws(UnixSocket.Failure) {
            connection = LineConnection(takingOwnershipOf: try UnixSocket.connect(to: path))
        } catch {
            throw ControlClient.explain(error, path)
        }
    }

    /// The supervisor's process.
    public var server: Peer? { UnixSocket.peer(of: connection.descriptor) }

    /// Asks and waits for the answer.
    public func ask<Reply: JSONShape>(
        _ request: ControlRequest, as reply: Reply.Type, within limit: Duration
    ) throws(ControlError) -> Reply {
        let id = try send(request)
        return try decode(try answer(to: id, request, within: limit), request)
    }

    /// The same, with what comes on the way to the answer.
    public func ask<Reply: JSONShape, Item: JSONShape>(
        _ request: ControlRequest, as reply: Reply.Type, within limit: Duration, onItem: (Item) -> Void
    ) throws(ControlError) -> Reply {
        let id = try send(request)
        let answer = try answer(to: id, request, within: limit) { (item: JSONValue) throws(ControlError) in
            onItem(try decode(item, request))
        }
        return try decode(answer, request)
    }

    /// Asks for a stream: `onReply` gets the answer, `onItem` each item, until one returns false or the stream ends.
    /// The limit is for the answer; items may take for ever.
    public func stream<Reply: JSONShape, Item: JSONShape>(
        _ request: ControlRequest, as reply: Reply.Type, of item: Item.Type, within limit: Duration,
        onReply: (Reply) -> Bool, onItem: (Item) -> Bool
    ) throws(ControlError) {
        let id = try send(request)
        guard onReply(try decode(try answer(to: id, request, within: limit), request)) else { return }
        while true {
            let message: JSONValue
            do throws(ControlError) {
                message = try receive(request, until: nil)
            } catch  where error == broken(request) {
                throw streamBroken()
            }
            guard message["params"]?["request"] == JSONValue(id), let method = message["method"]?.string else {
                continue
            }
            if method == request.verb + ".end" { return }
            guard method == request.verb + ".item", let value = message["params"]?["item"] else { continue }
            guard onItem(try decode(value, request)) else { return }
        }
    }

    /// Waits until the supervisor has closed this connection and its process has gone.
    public func waitForEnd(within limit: Duration) throws(ControlError) {
        let deadline = ContinuousClock.now + limit
        // Opened before the end of the connection: afterwards the number could be another's.
        let process = server.map { ProcessEnd(pid: $0.pid) }
        guard connection.waitForEnd(until: deadline), process?.wait(until: deadline) ?? true else {
            throw ControlError(.timedOut, "the supervisor still runs after \(inSeconds(limit))")
        }
    }

    private func send(_ request: ControlRequest) throws(ControlError) -> Int {
        lastID += 1
        // A supervisor that has put this client out has said why before: `receive` finds that, or the end.
        _ = connection.send(JSONWriter.text(RPCMessage.request(id: lastID, request)))
        return lastID
    }

    private func answer(
        to id: Int, _ request: ControlRequest, within limit: Duration,
        onItem: (JSONValue) throws(ControlError) -> Void = { _ in }
    ) throws(ControlError) -> JSONValue {
        let deadline = ContinuousClock.now + limit
        while true {
            let message: JSONValue
            do throws(ControlError) {
                message = try receive(request, until: deadline)
            } catch  where error.exitCode == .timedOut {
                throw ControlError(
                    .timedOut,
                    "no answer to \"\(request.verb)\" within \(inSeconds(limit)); `corehost \(ControlClient.place(of: request))` shows how "
                        + "far it is")
            }
            if message["method"]?.string == request.verb + ".item", message["params"]?["request"] == JSONValue(id) {
                try onItem(message["params"]?["item"] ?? .null)
                continue
            }
            // Id null: what the server says of the connection as a whole.
            guard let answered = message["id"], answered == JSONValue(id) || answered.isNull else { continue }
            guard let error = message["error"], !error.isNull else { return message["result"] ?? .null }
            throw try decode(error, request) as ControlError
        }
    }

    /// The command that shows how far a request is.
    private static func place(of request: ControlRequest) -> String {
        switch request {
        case .signup, .login, .logout, .autologin, .users, .openURL, .apps: "status"
        case .ps, .inspect, .deaths, .why, .logs, .events, .audit, .doctor, .eval, .start, .stop, .restart, .kill,
            .call, .tasks, .wake, .status, .shutdown, .reload, .version, .fault:
            "ps"
        }
    }

    private func receive(
        _ request: ControlRequest, until deadline: ContinuousClock.Instant?
    ) throws(ControlError) -> JSONValue {
        switch connection.receive(until: deadline) {
        case .end: throw broken(request)
        case .timedOut: throw ControlError(.timedOut, "no answer to \"\(request.verb)\" in time")
        case .tooLong: throw strange(request, "a line has more than \(LineConnection.maxLineBytes) bytes")
        case .line(let line):
            do throws(JSONError) {
                return try JSONParser.parse(line)
            } catch {
                throw strange(request, error.description)
            }
        }
    }

    private func decode<Shape: JSONShape>(_ json: JSONValue, _ request: ControlRequest) throws(ControlError) -> Shape {
        do throws(JSONShapeError) {
            return try Shape(json: json)
        } catch {
            throw strange(request, error.description)
        }
    }

    private func broken(_ request: ControlRequest) -> ControlError {
        ControlError(
            .failed,
            "the supervisor at \(path) closed the connection before it answered \"\(request.verb)\"; `corehost status` "
                + "shows whether it still runs")
    }

    /// Milliseconds in which the kernel takes a killed process apart.
    private static let lastBreath: Int32 = 300

    /// A stream that ended without its end: the supervisor died, or put this client out.
    private func streamBroken() -> ControlError {
        let gone = ControlError(.notRunning, "the supervisor at \(path) has gone")
        do throws(UnixSocket.Failure) {
            let descriptor = try UnixSocket.connect(to: path)
            defer { close(descriptor) }
            // One that is being killed closes its sockets one after the other: this connection goes with the one that listens.
            var news = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&news, 1, Self.lastBreath) > 0 { return gone }
        } catch {
            return gone
        }
        return ControlError(
            .failed, "the supervisor at \(path) ended the stream: it was read too slowly; ask again for what is new")
    }

    private func strange(_ request: ControlRequest, _ reason: String) -> ControlError {
        ControlError(
            .failed,
            "the answer to \"\(request.verb)\" cannot be read: \(reason); compare `corehost version` with the version "
                + "that `corehost status` shows")
    }

    private static func explain(_ failure: UnixSocket.Failure, _ path: String) -> ControlError {
        switch failure.errno {
        case ENOENT, ECONNREFUSED, ENOTDIR:
            ControlError(
                .notRunning, "no supervisor is running at \(path); start one with `corehost run`")
        case EACCES, EPERM:
            ControlError(.refused, "\(path) belongs to another user; ask as the user who runs the supervisor")
        default:
            ControlError(
                .failed, "cannot reach the supervisor at \(path): \(String(cString: strerror(failure.errno)))")
        }
    }
}

/// `30 s`, `0.5 s`.
func inSeconds(_ duration: Duration) -> String {
    let value = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    return value == value.rounded() ? "\(Int(value)) s" : "\(value) s"
}
