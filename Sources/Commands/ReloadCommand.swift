internal import Control

/// `corehost reload`: has the supervisor read its configuration anew.
enum ReloadCommand {
    static let reload = CommandSpec(
        "reload", summary: "read the configuration anew and apply what changed; a wrong one changes nothing",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes + [.badConfiguration],
        example: "corehost reload"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "reload").ask(.reload, as: ReloadReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
            return .ok
        }
        for change in reply.changes {
            let subject = change.component.map { "\($0): \(change.key)" } ?? change.key
            try console.print(console.clean("\(subject): \(change.from) → \(change.to), \(moment(change.applies))"))
        }
        if reply.changes.isEmpty { try console.print(console.clean("\(reply.file): nothing has changed")) }
        return .ok
    }

    private static func moment(_ applies: String) -> String {
        switch applies {
        case "now": "in force"
        case "next-start": "from the component's next start on"
        case "next-run": "from the supervisor's next start on"
        default: applies
        }
    }
}
