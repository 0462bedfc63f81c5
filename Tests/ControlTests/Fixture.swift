import Glibc
import Logging
import Secrets
import TestSupport

@testable import Control

/// A service that answers simply and tells what happened to it.
final class FakeService: ControlService {
    /// What the service saw, in order; read by the test's thread after the loop has ended, or awaited by it.
    let events: EventList
    private var kept: [ControlExchange] = []

    init(events: EventList) { self.events = events }

    func handle(_ request: ControlRequest, _ exchange: ControlExchange) {
        switch request {
        case .ps: exchange.reply(PsReply(components: [FakeService.row]))
        case .version: exchange.reply(VersionReply(version: "9", swift: nil, libuv: nil, engine: nil))
        case .inspect(let id): exchange.fail(.noSuchComponent(id))
        case .start(let id): exchange.fail(.ambiguous(id, candidates: ["a/x", "a/y"]))
        case .stop, .restart, .kill: exchange.reply(ComponentReply(component: FakeService.row))
        case .call(_, _, "never", _):
            exchange.onGone = { [events] in events.add("call gone") }
            kept.append(exchange)
            events.add("call kept")
        case .call(_, _, "forgotten", _): break
        case .call(_, _, "large", let arguments):
            let size = Int(arguments.first?.int ?? 0)
            exchange.reply(CallReply(result: .string(String(repeating: "x", count: size))))
        case .call(_, _, _, let arguments): exchange.reply(CallReply(result: .array(arguments)))
        case .logs(let request) where !request.follow:
            exchange.reply(LogsReply(lines: (0..<request.lines).map(FakeService.line)))
        case .logs(let request):
            let lines = request.lines
            exchange.onGone = { [events] in events.add("stream gone") }
            exchange.replyAndStream(LogsReply(lines: []))
            for number in 0..<lines { exchange.send(FakeService.line(number)) }
            // Fewer than ten lines: the stream ends; else it stays open.
            if lines >= 10 { kept.append(exchange) }
        case .login(let address, let password):
            exchange.send(LoginNews(percent: 50))
            exchange.send(LoginNews(message: "storage opens"))
            if password.text == "right" {
                exchange.reply(LoginReply(user: address, login: "logged-in"))
            } else {
                exchange.fail(ControlError(.refused, "the password is not that of \(address); try again"))
            }
        case .deaths, .why, .tasks, .wake, .status, .events, .audit, .doctor, .eval, .fault, .shutdown, .reload, .users,
            .signup, .logout, .autologin, .openURL, .apps:
            exchange.fail(ControlError(.failed, "not here"))
        }
    }

    func audit(_ entry: AuditEntry) { events.add("audit \(entry.text)") }

    func report(_ text: String, caller: Peer?) { events.add("report \(text)") }

    static let row = ComponentRow(
        id: "a/x", app: "a", entry: "/x", kind: "startup", state: "running", wanted: "up", generation: 1, restarts: 0)

    static func line(_ number: Int) -> LogEntry {
        LogEntry(
            LogLine(
                time: LogTime(milliseconds: 0), level: .info, source: .component(id: "a/x", generation: 1),
                stream: .console, text: "line \(number)", fields: ["key": nil]))
    }
}

/// A control server with a fake service.
struct ServerFixture {
    let events: EventList
    private let thread: ControlServerThread

    init(limits: ControlLimits, peer: Peer?) throws {
        let events = EventList()
        self.events = events
        thread = try ControlServerThread(limits: limits, peer: peer) { FakeService(events: events) }
    }

    var path: String { thread.path }
    var folder: TemporaryFolder { thread.folder }

    func closeServer() { thread.closeServer() }
    func stop() { thread.stop() }
}

/// Runs `body` with a server and ends it, also on failure.
func withServer(
    limits: ControlLimits = ControlLimits(), peer: Peer? = nil, _ body: (ServerFixture) throws -> Void
) throws {
    let server = try ServerFixture(limits: limits, peer: peer)
    defer { server.stop() }
    try body(server)
}

/// A client that says what it likes.
final class RawClient {
    let connection: LineConnection

    init(_ path: String) throws { connection = LineConnection(takingOwnershipOf: try UnixSocket.connect(to: path)) }

    /// As it is, without a line end.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            done += count
        }
    }

    /// The next line as JSON; nil at the end of the connection.
    func next() throws -> JSONValue? {
        switch connection.receive(until: .now + .seconds(10)) {
        case .line(let line): return try JSONParser.parse(line)
        case .end: return nil
        case .timedOut, .tooLong: throw Silent()
        }
    }

    func ask(_ line: String) throws -> JSONValue? {
        write(line + "\n")
        return try next()
    }

    struct Silent: Error {}
}
