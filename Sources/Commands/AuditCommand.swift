internal import Control

/// `audit`.
enum AuditCommand {
    private static let lines = OptionSpec(
        "-n", "--lines", value: "N",
        meaning: "how many of the newest commands, 100 by default, \(ControlRequest.maxAuditRecords) at most")
    private static let json = OptionSpec("--json", meaning: "write each command as a JSON object")

    static let audit = CommandSpec(
        "audit", summary: "show the commands that changed something: when, what, by whom, with what outcome",
        options: [lines, json] + Connection.options, exitCodes: Connection.exitCodes, example: "corehost audit -n 20"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "audit").ask(
            .audit(lines: try count(arguments)), as: AuditReply.self)
        for record in reply.records {
            try console.print(arguments.has(json) ? JSONWriter.text(record.json) : text(record, console))
        }
        return .ok
    }

    private static func count(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        guard let text = arguments.value(of: lines) else { return 100 }
        guard let count = Int(text), (0...ControlRequest.maxAuditRecords).contains(count) else {
            throw UsageError(
                "audit: --lines must be a whole number from 0 to \(ControlRequest.maxAuditRecords), not \"\(text)\"")
        }
        return count
    }

    /// `<time> <verb> <arguments>: <outcome> after <time>, by <program> (process <pid>, uid <uid>)`.
    static func text(_ record: AuditRecord, _ console: Console) -> String {
        let arguments = record.arguments.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let outcome =
            switch record.outcome {
            case "abandoned": "the caller left before the answer"
            case "failed": "failed: \(record.message ?? "")"
            default: record.outcome
            }
        let command = record.command.isEmpty ? "a program that has gone" : record.command
        let line =
            "\(record.time) \(record.verb)\(arguments): \(outcome), after \(record.took) ms, by "
            + "\(command) (process \(record.pid), uid \(record.uid))"
        return console.coloured(console.clean(line), record.outcome == "failed" ? .yellow : nil)
    }
}
