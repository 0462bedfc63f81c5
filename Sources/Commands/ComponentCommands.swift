internal import Control

/// Commands about components: `inspect start stop restart kill call`.
enum ComponentCommands {
    static let all = [PsCommand.ps, inspect, start, stop, restart, kill, call]

    private static let signal = OptionSpec(
        "--signal", value: "SIG", meaning: "the signal, SIGKILL by default; not one of the JavaScript engine's")

    private static let callJSON = OptionSpec("--json", meaning: "write the result inside an object with its schema")
    private static let callTimeout = OptionSpec(
        "--timeout", value: "TIME", meaning: "how long to wait for the reply: 30s by default, 500ms, 2m")

    static let inspect = CommandSpec(
        "inspect", [.required("ID")], summary: "show all that is known about a component",
        options: [.json] + Connection.options,
        exitCodes: Connection.exitCodes + [.noSuchID], example: "corehost inspect chat.app.privacysafe.io"
    ) { arguments, console in
        let request = ControlRequest.inspect(id: arguments.operand(0) ?? "")
        let reply = try Connection(arguments, console, of: "inspect").ask(request, as: InspectReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            for line in InspectText.lines(reply, console: console) { try console.print(line) }
        }
        return .ok
    }

    static let start = changing("start", "start a component and wait until it runs") { .start(id: $0) }

    static let stop = changing("stop", "stop a component and wait until it is down") { .stop(id: $0) }

    static let restart = changing("restart", "stop a component, start it anew, wait until it runs") {
        .restart(id: $0)
    }

    static let kill = CommandSpec(
        "kill", [.required("ID")],
        summary: "send a signal to a component's process",
        options: [signal, .json, .timeout] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost kill chat.app.privacysafe.io --signal SIGTERM"
    ) { arguments, console in
        let name = arguments.value(of: signal) ?? KillSignal.kill.name
        switch KillSignal.parse(name) {
        case .failure(let reason): throw UsageError("kill: \(reason)")
        case .success(let signal):
            return try change(.kill(id: arguments.operand(0) ?? "", signal: signal), arguments, console) { component in
                "\(signal.name) sent\(component.pid.map { " to process \($0)" } ?? "")"
            }
        }
    }

    static let call = CommandSpec(
        "call", [.required("APP"), .required("SERVICE"), .required("METHOD"), .rest("JSON")],
        summary: "call a method of a service with JSON values, print its result as JSON",
        options: [callJSON, callTimeout] + Connection.options, exitCodes: Connection.exitCodes + [.callRejected],
        example: "corehost call contacts.app.privacysafe.io AppContacts add '{\"name\": \"Ada\"}'"
    ) { arguments, console in
        let values = try arguments.operands.dropFirst(3).enumerated().map { index, text in
            do throws(JSONError) {
                return try JSONParser.parse(text)
            } catch {
                throw UsageError(
                    "call: argument \(index + 1), \(text.prefix(60)), is \(error); a text needs its own quotes: '\"text\"'"
                )
            }
        }
        let request = ControlRequest.call(
            app: arguments.operands[0], service: arguments.operands[1], method: arguments.operands[2], arguments: values
        )
        let reply = try Connection(arguments, console, of: "call").ask(request, as: CallReply.self)
        try console.print(JSONWriter.indented(arguments.has(callJSON) ? reply.json : reply.result))
        return .ok
    }

    private static func changing(
        _ name: String, _ summary: String, _ request: @escaping @Sendable (String) -> ControlRequest
    ) -> CommandSpec {
        CommandSpec(
            name, [.required("ID")], summary: summary,
            options: [.json, .timeout] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
            example: "corehost \(name) chat.app.privacysafe.io"
        ) { arguments, console in
            try change(request(arguments.operand(0) ?? ""), arguments, console)
        }
    }

    private static func change(
        _ request: ControlRequest, _ arguments: ParsedArguments, _ console: Console,
        _ outcome: (ComponentRow) -> String = { $0.state }
    ) throws -> ExitCode {
        let connection = try Connection(arguments, console, of: request.verb)
        let reply = try connection.ask(request, as: ComponentReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            try console.print(console.clean("\(reply.component.id): \(outcome(reply.component))"))
        }
        return .ok
    }
}
