internal import Control
internal import Logging

/// `logs`.
enum LogsCommand {
    private static let follow = OptionSpec("-f", "--follow", meaning: "go on with new lines as they come, until Ctrl-C")
    private static let lines = OptionSpec(
        "-n", "--lines", value: "N",
        meaning: "how many recent lines, 100 by default, \(ControlRequest.maxLogLines) at most")
    private static let json = OptionSpec("--json", meaning: "write each line as a JSON object")

    static let logs = CommandSpec(
        "logs", [.optional("ID")], summary: "show recent lines of one component, or of all and the supervisor",
        options: [follow, lines, json] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost logs chat.app.privacysafe.io -f"
    ) { arguments, console in
        let request = ControlRequest.logs(
            id: arguments.operand(0), lines: try count(arguments), follow: arguments.has(follow))
        let connection = try Connection(arguments, console, of: "logs")
        let isJSON = arguments.has(json)
        func shown(_ entry: LogEntry) -> String { isJSON ? JSONWriter.text(entry.json) : text(entry.line, console) }
        guard arguments.has(follow) else {
            for entry in try connection.ask(request, as: LogsReply.self).lines { try console.print(shown(entry)) }
            return .ok
        }
        var failure: (any Error)?
        func show(_ entry: LogEntry) -> Bool {
            do {
                try console.print(shown(entry))
                return true
            } catch {
                failure = error
                return false
            }
        }
        try connection.client.stream(
            request, as: LogsReply.self, of: LogEntry.self, within: connection.limit,
            onReply: { $0.lines.allSatisfy(show) }, onItem: show)
        if let failure { throw failure }
        return .ok
    }

    private static func count(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        guard let text = arguments.value(of: lines) else { return 100 }
        guard let count = Int(text), (0...ControlRequest.maxLogLines).contains(count) else {
            throw UsageError(
                "logs: --lines must be a whole number from 0 to \(ControlRequest.maxLogLines), not \"\(text)\"")
        }
        return count
    }

    /// As in the log's file, but for the escapes.
    private static func text(_ line: LogLine, _ console: Console) -> String {
        let colour: Console.Colour? =
            switch line.level {
            case .debug: .grey
            case .info, .notice: nil
            case .warning: .yellow
            case .error, .critical, .alert, .emergency: .red
            }
        return console.coloured(line.shown, colour)
    }
}
