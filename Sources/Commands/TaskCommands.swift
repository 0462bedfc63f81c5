import Control

/// `tasks` and `wake`.
enum TaskCommands {
    static let all = [tasks, wake]

    private static let tasks = CommandSpec(
        "tasks", summary: "list the background tasks: when they run, and what keeps them waiting",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes, example: "corehost tasks"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "tasks").ask(.tasks, as: TasksReply.self)
        let lines = arguments.has(.json) ? [JSONWriter.indented(reply.json)] : table(reply, console)
        for line in lines { try console.print(line) }
        return .ok
    }

    private static let wake = CommandSpec(
        "wake", [.required("TASK")],
        summary:
            "run a background task once, now; while it runs, once more (TASK: as `corehost tasks` shows it, or an ID)",
        options: [.json, .timeout] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost wake io.privacysafe.chat.sync"
    ) { arguments, console in
        let request = ControlRequest.wake(task: arguments.operand(0) ?? "")
        let reply = try Connection(arguments, console, of: "wake").ask(request, as: WakeReply.self)
        try console.print(
            arguments.has(.json)
                ? JSONWriter.indented(reply.json) : console.clean("\(reply.task): \(text(reply.outcome))"))
        return .ok
    }

    private static func text(_ outcome: String) -> String {
        switch outcome {
        case "started": "runs"
        case "queued": "runs already; one more cycle follows"
        case "merged": "runs already, and one more cycle was to follow"
        case "running": "its component runs already, and not for the schedule; nothing was started"
        default: outcome
        }
    }

    static func table(_ reply: TasksReply, _ console: Console) -> [String] {
        let cells =
            [["TASK", "MODE", "STATE", "NEXT", "ENDS", "CYCLES", "LAST", "COMPONENT"]]
            + reply.tasks.map { row in
                [
                    row.task, row.mode, row.permitted ? row.state + (row.again ? "+1" : "") : "not permitted",
                    time(row.nextIn), time(row.endsIn), "\(row.cycles)", last(row.last), row.component,
                ].map(console.clean)
            }
        let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let lines = cells.map { line in
            zip(line, widths).enumerated().map { index, cell in
                index == line.count - 1 ? cell.0 : cell.0.padded(to: cell.1)
            }.joined(separator: "  ")
        }
        let waits = reply.tasks.filter { !$0.waitsFor.isEmpty }.map { row in
            console.clean("\(row.task) waits: \(row.waitsFor.joined(separator: "; "))")
        }
        return lines + waits + [machine(reply.machine)]
    }

    private static func time(_ seconds: Double?) -> String { seconds.map { HumanUnits.duration(max(0, $0)) } ?? "-" }

    private static func last(_ cycle: TaskRow.Cycle?) -> String {
        cycle.map { "\($0.outcome), \(HumanUnits.duration($0.ago)) ago" } ?? "-"
    }

    private static func machine(_ machine: TasksReply.Machine) -> String {
        let load = machine.load.map { "load \(($0 * 100).rounded() / 100) for each processor" } ?? "load not known"
        let power =
            switch machine.power {
            case "external": "external power"
            case "battery": "on its battery"
            case "no-battery": "no battery"
            default: machine.power
            }
        return "the machine: \(load), \(power)"
    }
}
