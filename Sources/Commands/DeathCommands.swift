internal import Control

/// `deaths` and `why`: how lives ended, and why a component is where it is.
enum DeathCommands {
    static let all = [deaths, why]

    static let deaths = CommandSpec(
        "deaths", [.required("ID"), .optional("NUMBER")],
        summary: "show how a component's lives ended; with a number, or `last`, all that is kept of one",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost deaths chat.app.privacysafe.io last"
    ) { arguments, console in
        let number = try number(arguments.operand(1))
        let request = ControlRequest.deaths(id: arguments.operand(0) ?? "", number: number)
        let connection = try Connection(arguments, console, of: "deaths")
        if number == nil {
            let reply = try connection.ask(request, as: DeathsReply.self)
            try console.print(
                arguments.has(.json) ? [JSONWriter.indented(reply.json)] : list(reply, console))
        } else {
            let reply = try connection.ask(request, as: DeathReply.self)
            try console.print(
                arguments.has(.json) ? [JSONWriter.indented(reply.json)] : DeathReport.lines(reply.death, console))
        }
        return .ok
    }

    static let why = CommandSpec(
        "why", [.required("ID")],
        summary: "say why a component runs, or why not: the rule, the evidence, what comes next, what changes it",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost why chat.app.privacysafe.io"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "why")
            .ask(.why(id: arguments.operand(0) ?? ""), as: WhyReply.self)
        try console.print(arguments.has(.json) ? [JSONWriter.indented(reply.json)] : text(reply, console))
        return .ok
    }

    /// 0 is the last one.
    private static func number(_ text: String?) throws(UsageError) -> Int? {
        guard let text else { return nil }
        if text == "last" { return 0 }
        guard let number = Int(text), number > 0 else {
            throw UsageError("deaths: which one must be a number of the list, or last, not \"\(text)\"")
        }
        return number
    }

    private static func list(_ reply: DeathsReply, _ console: Console) -> [String] {
        var lines = reply.deaths.isEmpty ? ["\(reply.component): no end of a life is kept"] : []
        let width = reply.deaths.map { String($0.number).count }.max() ?? 0
        for death in reply.deaths {
            let blanks = String(repeating: " ", count: width - String(death.number).count)
            let doubt = death.certainty == "likely" ? ", likely" : ""
            lines.append(
                "\(blanks)\(death.number)  \(death.time)  g\(death.generation)  \(death.cause)\(doubt): \(death.message);"
                    + " then: \(death.next)")
        }
        if reply.damaged > 0 { lines.append("\(reply.damaged) lines of what was kept cannot be read") }
        if reply.lost > 0 { lines.append("\(reply.lost) deaths were lost, as the disk did not take them") }
        if let problem = reply.problem { lines.append("the disk takes none now: \(problem)") }
        return lines.map(console.clean)
    }

    private static func text(_ reply: WhyReply, _ console: Console) -> [String] {
        let phase = reply.phase.map { " (\($0))" } ?? ""
        var lines = [
            "\(reply.component): \(reply.reason)", "  state:    \(reply.state)\(phase), wanted \(reply.wanted)",
        ]
        lines.append("  rule:     \(reply.rule)")
        lines += reply.evidence.map { "  evidence: \($0)" }
        let time = reply.nextIn.map { " in \(HumanUnits.duration($0))" } ?? ""
        lines.append("  next:     \(reply.next.map { $0 + time } ?? "nothing, by itself")")
        lines += reply.commands.map { "  command:  \($0.command): \($0.effect)" }
        return lines.map(console.clean)
    }
}

extension Console {
    fileprivate func print(_ lines: [String]) throws {
        for line in lines { try print(line) }
    }
}
