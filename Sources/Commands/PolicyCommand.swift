internal import Configuration
internal import Control
internal import Supervision

/// `corehost policy explain [ID]`: what the rules make of a component that dies again and again. No supervisor is asked.
enum PolicyCommand {
    private static let restart = OptionSpec(
        "--restart", value: "TYPE",
        meaning: "permanent (default), transient, temporary: if the configuration is silent")
    private static let ending = OptionSpec(
        "--ending", value: "HOW", meaning: "how every life ends: crash (default), close, start-timeout")
    private static let ready = OptionSpec(
        "--ready", value: "TIMES",
        meaning: "how long each life is ready, the last for all more: 1m,0s (0s by default)")
    private static let lives = OptionSpec("--lives", value: "N", meaning: "show at most so many lives, 20 by default")

    static let policy = CommandSpec(
        "policy", [.required("explain"), .optional("ID")],
        summary: "tell what the restart rules make of a component that dies again and again",
        options: [.json, restart, ending, ready, lives, ConfigCommand.file],
        exitCodes: [.ok, .failed, .usage, .badConfiguration],
        example: "corehost policy explain chat.app.privacysafe.io --ready 1m,0s"
    ) { arguments, console in
        guard arguments.operand(0) == "explain" else {
            throw UsageError("policy: the one thing to do with a policy is to explain it: corehost policy explain [ID]")
        }
        return try explain(arguments, console)
    }

    private static func explain(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let type: RestartType = try choice(of: restart, arguments) ?? .permanent
        let ending: PolicyForecast.Ending = try choice(of: ending, arguments) ?? .crash
        let readyFor = try times(arguments)
        let most = try number(arguments)
        let id = try ConfigCommand.component(arguments.operand(1) ?? "any.app/any")
        switch try ConfigCommand.read(arguments, console) {
        case .failure(let error):
            console.error("corehost: \(error)")
            return .badConfiguration
        case .success(let (configuration, _)):
            let policy = configuration.policy(for: id, restart: type)
            let forecast = PolicyForecast.lives(
                of: ComponentSpec(id: id, policy: policy), ending: ending, readyFor: readyFor, most: most)
            if arguments.has(.json) {
                try console.print(JSONWriter.indented(json(forecast, arguments.operand(1))))
                return .ok
            }
            try console.print(words(policy))
            try console.print("\("LIFE".padded(to: 5)) \("STARTS".padded(to: 12)) \("ENDS".padded(to: 12)) THEN")
            for (index, life) in forecast.enumerated() {
                let row = [
                    "\(index + 1)".padded(to: 5), life.startsAt.text.padded(to: 12), life.endsAt.text.padded(to: 12),
                    then(life.next, policy),
                ]
                try console.print(row.joined(separator: " "))
            }
            if let last = forecast.last, case .restart = last.next { try console.print("… (\(most) lives shown)") }
            return .ok
        }
    }

    private static func words(_ policy: RestartPolicy) -> String {
        let backoff = policy.backoff
        return
            "\(policy.restart.rawValue); at most \(policy.maxRestarts) restarts within \(policy.period.text); delays "
            + "\(backoff.first.text), then × \(backoff.factor) up to \(backoff.max.text), ± \(Int(backoff.jitter * 100)) % "
            + "(left out below)"
    }

    private static func then(_ next: PolicyForecast.Next, _ policy: RestartPolicy) -> String {
        switch next {
        case .restart(.zero): "restarted at once"
        case .restart(let delay): "restarted after \(delay.text)"
        case .down: "down: \(policy.restart.rawValue) components are not restarted after such an end"
        case .quarantined: "failed: more than \(policy.maxRestarts) restarts within \(policy.period.text)"
        }
    }

    private static func json(_ forecast: [PolicyForecast.Life], _ id: String?) -> JSONValue {
        let lives: [JSONValue] = forecast.map { life in
            let (next, delay): (String, Duration?) =
                switch life.next {
                case .restart(let delay): ("restart", delay)
                case .down: ("down", nil)
                case .quarantined: ("failed", nil)
                }
            return [
                "startsAt": .double(life.startsAt / .seconds(1)), "endsAt": .double(life.endsAt / .seconds(1)),
                "verdict": .string(life.verdict), "next": .string(next),
                "delay": delay.map { .double($0 / .seconds(1)) } ?? .null,
            ]
        }
        return [
            "schema": "corehost.policy/1", "component": id.map { .string($0) } ?? .null, "lives": .array(lives),
        ]
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        of option: OptionSpec, _ arguments: ParsedArguments
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        guard let text = arguments.value(of: option) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("policy: \(option.key) is \"\(text)\"; use one of \(names)")
    }

    private static func times(_ arguments: ParsedArguments) throws(UsageError) -> [Duration] {
        guard let text = arguments.value(of: ready) else { return [.zero] }
        var times: [Duration] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let time = TimeOption.parse(String(part)), time <= .seconds(365 * 86_400) else {
                throw UsageError("policy: --ready has \"\(part)\"; give times like 0s, 500ms, 2m, joined by commas")
            }
            times.append(time)
        }
        return times
    }

    private static func number(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        guard let text = arguments.value(of: lives) else { return 20 }
        guard let number = Int(text), (1...10_000).contains(number) else {
            throw UsageError("policy: --lives must be a whole number from 1 to 10000, not \"\(text)\"")
        }
        return number
    }
}
