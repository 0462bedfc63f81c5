internal import Control
internal import Logging

/// `logs`: lines of the files and, while a supervisor runs, those that it has in memory and that come.
enum LogsCommand {
    private static let follow = OptionSpec("-f", "--follow", meaning: "go on with new lines as they come, until Ctrl-C")
    private static let lines = OptionSpec(
        "-n", "--lines", value: "N", meaning: "the newest N lines that match, or all; 100 by default, all with --since")
    private static let since = OptionSpec(
        "--since", value: "TIME", meaning: "lines since then: 10m, 2h, 2026-01-31T23:59:59 (UTC)")
    private static let until = OptionSpec("--until", value: "TIME", meaning: "lines before then, in the same forms")
    private static let level = OptionSpec(
        "--level", value: "LEVEL",
        meaning: "lines of this level and graver: " + LogLevel.allCases.map(\.name).joined(separator: " "))
    private static let grep = OptionSpec(
        "--grep", value: "REGEX", meaning: "lines that match, as grep -E does; a plain text is its own pattern")
    private static let json = OptionSpec("--json", meaning: "write each line as a JSON object")

    static let logs = CommandSpec(
        "logs", [.rest("ID")], summary: "show lines of components, or of all and the supervisor, by time",
        options: [follow, lines, since, until, level, grep, json] + Connection.options,
        exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost logs chat.app.privacysafe.io -f --level warning"
    ) { arguments, console in
        var filter = try filter(arguments)
        let count = try count(arguments, filter)
        let isJSON = arguments.has(json)
        func show(_ line: LogLine) throws {
            try console.print(isJSON ? JSONWriter.text(LogEntry(line).json) : text(line, console))
        }
        let connection: Connection
        do {
            connection = try Connection(arguments, console, of: "logs")
        } catch let error as ControlError where error.exitCode == .notRunning && !arguments.has(follow) {
            let history = try LogHistory.withoutSupervisor(arguments, console, error)
            filter.ids = try history.resolve(arguments.operands)
            try history.show(filter, last: count, show)
            return .ok
        }
        // The files before the memory: what is written between the two is in the latter.
        let history = LogHistory(try connection.ask(.status, as: StatusReply.self).places.logs)
        var request = LogsRequest(ids: arguments.operands, lines: LogsRequest.maxLines, follow: arguments.has(follow))
        guard request.follow else {
            do {
                let reply = try connection.ask(.logs(request), as: LogsReply.self)
                try history.show(filter, reply, last: count, show)
            } catch let error as ControlError where error.exitCode == .noSuchID {
                // Of a component that is gone there are still files.
                guard let ids = try? history.resolve(arguments.operands) else { throw error }
                filter.ids = ids
                try history.show(filter, last: count, show)
            }
            return .ok
        }
        var failure: (any Error)?
        func tell(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return true
            } catch {
                failure = error
                return false
            }
        }
        request.lines = LogsRequest.maxLines
        try connection.client.stream(
            .logs(request), as: LogsReply.self, of: LogEntry.self, within: connection.limit,
            onReply: { reply in tell { try history.show(filter, reply, last: count, show) } },
            onItem: { entry in tell { if filter.includes(entry.line) { try show(entry.line) } } })
        if let failure { throw failure }
        return .ok
    }

    private static func filter(_ arguments: ParsedArguments) throws(UsageError) -> LogFilter {
        if arguments.has(follow), arguments.has(until) {
            throw UsageError("logs: --follow goes on for ever; leave out --follow or --until")
        }
        guard arguments.operands.count <= LogsRequest.maxIDs else {
            let count = arguments.operands.count
            throw UsageError("logs: \(count) ids; give \(LogsRequest.maxIDs) at most, or none for all")
        }
        var filter = LogFilter()
        filter.since = try time(since, arguments)
        filter.until = try time(until, arguments)
        if let name = arguments.value(of: level) {
            guard let least = LogLevel(name: name) else {
                let names = LogLevel.allCases.map(\.name).joined(separator: ", ")
                throw UsageError("logs: --level must be one of \(names), not \"\(name)\"")
            }
            filter.level = least
        }
        if let pattern = arguments.value(of: grep) {
            do throws(LinePattern.Invalid) {
                filter.pattern = try LinePattern(pattern)
            } catch {
                throw UsageError("logs: --grep \"\(pattern)\" is no pattern: \(error.reason); put \\ before signs")
            }
        }
        return filter
    }

    private static func time(_ option: OptionSpec, _ arguments: ParsedArguments) throws(UsageError) -> LogTime? {
        guard let text = arguments.value(of: option) else { return nil }
        guard let time = TimePoint.parse(text) else {
            throw UsageError("logs: \(option.key) must be \(TimePoint.forms), not \"\(text)\"")
        }
        return time
    }

    /// nil = all.
    private static func count(_ arguments: ParsedArguments, _ filter: LogFilter) throws(UsageError) -> Int? {
        guard let text = arguments.value(of: lines) else { return filter.since == nil ? 100 : nil }
        if text == "all" { return nil }
        guard let count = Int(text), (0...1_000_000).contains(count) else {
            throw UsageError("logs: --lines must be a whole number from 0 to 1000000, or all, not \"\(text)\"")
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
