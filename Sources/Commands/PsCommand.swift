internal import Control
internal import Glibc

/// `ps`, also again and again.
enum PsCommand {
    private static let tree = OptionSpec("--tree", meaning: "show processes and threads as a tree")
    private static let watch = OptionSpec(
        "--watch", optionalValue: "SECONDS", meaning: "show it again every 2 seconds, or so many, until Ctrl-C")
    private static let intervals = 0.1...3600

    static let ps = CommandSpec(
        "ps",
        summary: "list the components; IN and OUT are messages, LAG is how long JavaScript took to give a turn",
        options: [.json, tree, watch] + Connection.options, exitCodes: Connection.exitCodes,
        example: "corehost ps --watch 1"
    ) { arguments, console in
        let interval = try interval(arguments)
        let connection = try Connection(arguments, console, of: "ps")
        func lines() throws -> [String] {
            let reply = try connection.ask(.ps, as: PsReply.self)
            if arguments.has(.json) {
                return [interval == nil ? JSONWriter.indented(reply.json) : JSONWriter.text(reply.json)]
            }
            return arguments.has(tree)
                ? PsTree.lines(reply, console: console) : PsTable.lines(reply.components, console: console)
        }
        guard let interval else {
            for line in try lines() { try console.print(line) }
            return .ok
        }
        var isFirst = true
        while true {
            let shown = try lines()
            // On a terminal in the place of the last ones; else one after the other.
            if console.isTerminal, !arguments.has(.json) {
                try console.print("\u{1B}[H\u{1B}[2J" + shown.joined(separator: "\n"))
            } else {
                if !isFirst, !arguments.has(.json) { try console.print("") }
                for line in shown { try console.print(line) }
            }
            isFirst = false
            usleep(UInt32(interval * 1e6))
        }
    }

    private static func interval(_ arguments: ParsedArguments) throws(UsageError) -> Double? {
        guard let text = arguments.value(of: watch) else { return nil }
        if text.isEmpty { return 2 }
        guard let seconds = Double(text), intervals.contains(seconds) else {
            throw UsageError("ps: --watch must be seconds from 0.1 to 3600, not \"\(text)\"")
        }
        return seconds
    }
}

/// The supervisor and the processes below it.
enum PsTree {
    static func lines(_ reply: PsReply, console: Console) -> [String] {
        let supervisor = reply.supervisor
        var head = "corehost"
        if let supervisor {
            head += ", process \(supervisor.pid), up \(HumanUnits.duration(supervisor.uptime))"
            if let memory = supervisor.memory { head += ", \(HumanUnits.size(memory))" }
        }
        // Threads that the core's has made have its name, too.
        var branches = supervisor?.threads.contains("core") == true ? ["core, thread"] : []
        if let zygote = supervisor?.zygote { branches.append("zygote, process \(zygote)") }
        branches += reply.components.compactMap { row in
            row.pid.map { pid in
                let memory = row.memory.map { ", \(HumanUnits.size($0))" } ?? ""
                let phase = row.phase.map { " (\($0))" } ?? ""
                return "\(row.id), process \(pid), \(row.state)\(phase), g\(row.generation)\(memory)"
            }
        }
        let rest = reply.components.filter { $0.pid == nil }.map { "\($0.id) (\($0.state))" }
        return [head]
            + branches.enumerated().map { index, text in
                (index == branches.count - 1 ? "└─ " : "├─ ") + console.clean(text)
            }
            + (rest.isEmpty ? [] : ["without a process: " + console.clean(rest.joined(separator: ", "))])
    }
}
