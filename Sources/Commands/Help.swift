internal import Control

/// Help texts, all from the command table.
enum Help {
    static func overview(_ commands: [CommandSpec]) -> String {
        let rows = commands.map { ([$0.name] + $0.operands.map(\.usage)).joined(separator: " ") }
        let width = rows.map(\.count).max() ?? 0
        let lines = zip(rows, commands).map { row, command in
            "  \(row.padded(to: width))  \(command.summary)"
        }
        return """
            usage: corehost COMMAND [options]

            Runs apps' components in processes of their own and keeps them running.

            \(lines.joined(separator: "\n"))

            `corehost help COMMAND` or `corehost COMMAND --help` tells more of one. An ID is what `corehost ps` shows: a
            component's id, its connector, its app if that has one component, or the unique beginning of any of these.
            """
    }

    static func text(_ command: CommandSpec) -> String {
        let names = command.options.map(\.usage)
        let width = names.map(\.count).max() ?? 0
        let options = zip(names, command.options).map { "  \($0.padded(to: width))  \($1.meaning)" }
        let codes = command.exitCodes.map { "  \(String($0.rawValue).padded(to: 2))  \($0.meaning)" }
        return """
            usage: \(command.usage)

            \(command.summary)

            options:
            \(options.joined(separator: "\n"))

            exit codes:
            \(codes.joined(separator: "\n"))

            example:
              \(command.example)
            """
    }
}

extension String {
    /// With blanks behind it.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
