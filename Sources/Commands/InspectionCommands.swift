internal import Control

/// `doctor` and `eval`.
enum InspectionCommands {
    static let all = [doctor, eval]

    private static let evalTimeout = OptionSpec(
        "--timeout", value: "TIME", meaning: "how long it may take, its promise included: 5s by default, 60s at most")

    static let doctor = CommandSpec(
        "doctor", summary: "compare what the supervisor believes with what the kernel shows; 8 when something differs",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes + [.probeFailed],
        example: "corehost doctor"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "doctor").ask(.doctor, as: DoctorReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            for line in lines(reply, console) { try console.print(line) }
        }
        return reply.ok ? .ok : .probeFailed
    }

    private static func lines(_ reply: DoctorReply, _ console: Console) -> [String] {
        let width = reply.checks.map(\.name.count).max() ?? 0
        return reply.checks.flatMap { check -> [String] in
            let differences = reply.differences.filter { $0.check == check.name }
            let mark =
                differences.isEmpty ? console.coloured("ok     ", .green) : console.coloured("differs", .red)
            return ["\(mark)  \(check.name.padded(to: width))  \(console.clean(check.found))"]
                + differences.flatMap { difference in
                    [
                        "  \(difference.subject): believed: \(difference.believed); found: \(difference.found)",
                        "    what to do: \(difference.advice)",
                    ].map(console.clean)
                }
        }
    }

    static let eval = CommandSpec(
        "eval", [.required("ID"), .required("EXPR")],
        summary: "evaluate JavaScript in a component, or in the core (ID: core); off unless `run --allow-eval`",
        options: [.json, evalTimeout] + Connection.options, exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost eval chat.app.privacysafe.io 'Object.keys(w3n)'"
    ) { arguments, console in
        var request = EvalRequest(id: arguments.operand(0) ?? "", expression: arguments.operand(1) ?? "")
        if let text = arguments.value(of: evalTimeout) {
            let milliseconds = TimeOption.parse(text).map { Int($0 / .milliseconds(1)) } ?? 0
            guard EvalRequest.timeouts.contains(milliseconds) else {
                throw UsageError("eval: --timeout must be a time from 1ms to 60s, not \"\(text)\"")
            }
            request.timeout = milliseconds
        }
        guard request.expression.utf8.count <= EvalRequest.maxBytes else {
            throw UsageError("eval: the expression has more than \(EvalRequest.maxBytes) bytes")
        }
        // The answer comes after that time at the latest; the supervisor knows when to give up.
        let connection = try Connection(
            arguments, console, of: "eval", ownLimit: .milliseconds(request.timeout + 15_000))
        let reply = try connection.ask(.eval(request), as: EvalReply.self)
        try console.print(arguments.has(.json) ? JSONWriter.indented(reply.json) : console.clean(reply.value))
        return .ok
    }
}
