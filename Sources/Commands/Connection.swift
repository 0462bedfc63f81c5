internal import Control

/// What the commands that ask a running supervisor share.
struct Connection {
    static let options: [OptionSpec] = [.socket, .data]
    /// Exit codes that such a command may have besides its own.
    static let exitCodes: [ExitCode] = [.ok, .failed, .usage, .notRunning, .timedOut, .refused]
    static let defaultTimeout = Duration.seconds(30)

    let client: ControlClient
    let limit: Duration

    init(
        _ arguments: ParsedArguments, _ console: Console, of command: String, timeout: Duration = defaultTimeout,
        ownLimit: Duration? = nil
    ) throws {
        limit = try ownLimit ?? Connection.timeout(arguments, of: command) ?? timeout
        let places = Places(environment: console.environment)
        let socket = places.clientSocket(
            socketOption: arguments.value(of: .socket), dataOption: arguments.value(of: .data))
        guard let socket else { throw UsageError("\(command): HOME is not set; say which supervisor with --socket") }
        client = try ControlClient(path: socket)
    }

    func ask<Reply: JSONShape>(_ request: ControlRequest, as reply: Reply.Type) throws(ControlError) -> Reply {
        try client.ask(request, as: reply, within: limit)
    }

    private static func timeout(_ arguments: ParsedArguments, of command: String) throws(UsageError) -> Duration? {
        guard let text = arguments.value(of: .timeout) else { return nil }
        guard let time = TimeOption.parse(text) else {
            throw UsageError("\(command): --timeout must be a time like 30s, 500ms or 2m, not \"\(text)\"")
        }
        return time
    }
}
