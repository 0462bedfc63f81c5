internal import Control
internal import Faults

/// `fault inject|list|clear|kinds`.
enum FaultCommand {
    private static let target = OptionSpec(
        "--target", value: "SELECTOR", meaning: "what it is done to: \(FaultSelector.forms)")
    private static let count = OptionSpec(
        "--count", value: "N", meaning: "apply it N times at most (else once for each component that is chosen)")
    private static let rate = OptionSpec(
        "--rate", value: "N", meaning: "apply it N times per second at most, 10 by default: 0.5, 20")
    private static let duration = OptionSpec(
        "--duration", value: "TIME",
        meaning: "undo it after this long: 500ms, 2m (else 10s, or 1m for what is done at once)")
    private static let most = OptionSpec(
        "--most", value: "K", meaning: "hold, or keep from running, K components at once at most")
    private static let seed = OptionSpec(
        "--seed", value: "N", meaning: "choose as before: the number that an earlier fault has shown")
    private static let detach = OptionSpec("--detach", meaning: "leave it in force when this command ends")
    private static let all = OptionSpec("--all", meaning: "clear: all that are in force")
    private static let json = OptionSpec(
        "--json", meaning: "write JSON instead of text, what happens one object a line")

    static let fault = CommandSpec(
        "fault", [.required("inject|list|clear|kinds"), .rest("KIND|ID|NAME=VALUE")],
        summary: "break something on purpose, on a leash; off unless `run --allow-faults` (`fault kinds` tells what)",
        options: [target, count, rate, duration, most, seed, detach, all, json] + Connection.options,
        exitCodes: Connection.exitCodes + [.noSuchID],
        example: "corehost fault inject signal signal=SIGKILL --target app=chat.app.privacysafe.io --count 3 --rate 1"
    ) { arguments, console in
        switch arguments.operand(0) {
        case "inject": return try inject(arguments, console)
        case "list": return try list(arguments, console)
        case "clear": return try clear(arguments, console)
        case "kinds": return try kinds(arguments, console)
        case let other:
            throw UsageError("fault: \"\(other ?? "")\" is none of inject, list, clear, kinds")
        }
    }

    // MARK: inject

    private static func inject(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let injection = try injection(arguments)
        let connection = try Connection(arguments, console, of: "fault inject")
        let isJSON = arguments.has(json)
        func show(_ value: some JSONShape, _ text: String) throws {
            try console.print(isJSON ? JSONWriter.text(value.json) : console.clean(text))
        }
        if injection.isDetached {
            let reply = try connection.ask(.fault(.inject(injection)), as: FaultReply.self)
            try show(reply, inForce(reply.fault))
            return .ok
        }
        var failure: (any Error)?
        var applied = 0
        func attempt(_ body: () throws -> Void) -> Bool {
            do { try body() } catch { failure = error }
            return failure == nil
        }
        try connection.client.stream(
            .fault(.inject(injection)), as: FaultReply.self, of: FaultNews.self, within: connection.limit,
            onReply: { reply in attempt { try show(reply, inForce(reply.fault)) } },
            onItem: { news in
                if news.what == "applied" { applied += 1 }
                return attempt { try show(news, line(news)) }
            })
        if let failure { throw failure }
        guard applied > 0 else {
            console.error("corehost: the fault was never applied; `corehost events` tells what happened meanwhile")
            return .failed
        }
        return .ok
    }

    static func injection(_ arguments: ParsedArguments) throws(UsageError) -> FaultInjection {
        guard let kind = arguments.operand(1) else {
            throw UsageError("fault inject: which kind? `corehost fault kinds` lists them")
        }
        var parameters: [String: String] = [:]
        for word in arguments.operands.dropFirst(2) {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw UsageError(
                    "fault inject: \"\(word)\" is no NAME=VALUE; `corehost fault kinds` tells what \(kind) takes")
            }
            let name = String(word[..<equals])
            guard parameters.updateValue(String(word[word.index(after: equals)...]), forKey: name) == nil else {
                throw UsageError("fault inject: \(name) is given twice")
            }
        }
        let time = arguments.value(of: duration)
        let span = time.flatMap(TimeOption.parse)
        if let time, span == nil {
            throw UsageError("fault inject: --duration must be a time like 30s, 500ms or 2m, not \"\(time)\"")
        }
        let injection = FaultInjection(
            kind: kind, target: arguments.value(of: target), parameters: parameters,
            count: try number(count, arguments) { Int($0) }, rate: try number(rate, arguments) { Double($0) },
            duration: span.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 },
            most: try number(most, arguments) { Int($0) },
            seed: try number(seed, arguments) { Int($0).flatMap { FaultInjection.seeds.contains($0) ? $0 : nil } },
            isDetached: arguments.has(detach))
        do throws(FaultRefusal) {
            // The same check as the supervisor's: what makes no sense needs none to say so.
            _ = try FaultOrder(
                kind: kind, target: injection.target, parameters: parameters,
                wish: FaultOrder.Wish(
                    count: injection.count, rate: injection.rate, duration: span, most: injection.most), seed: 0)
        } catch {
            throw UsageError("fault inject: \(error)")
        }
        return injection
    }

    private static func number<Value>(
        _ option: OptionSpec, _ arguments: ParsedArguments, _ read: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = arguments.value(of: option) else { return nil }
        guard let value = read(text) else {
            throw UsageError("fault inject: \(option.key) must be a number, not \"\(text)\"")
        }
        return value
    }

    // MARK: list, clear, kinds

    private static func list(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let reply = try Connection(arguments, console, of: "fault list").ask(.fault(.list), as: FaultsReply.self)
        if arguments.has(json) {
            try console.print(JSONWriter.indented(reply.json))
            return .ok
        }
        if !reply.isAllowed { try console.print("faults are off: this supervisor was started without --allow-faults") }
        for row in reply.faults { try console.print(console.clean(inForce(row))) }
        for row in reply.ended { try console.print(console.clean(over(row, row.ended ?? "over"))) }
        for row in reply.leftBehind {
            try console.print(console.clean(over(row, "undone by the end of an earlier run")))
        }
        return .ok
    }

    private static func clear(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let id = arguments.operand(1).flatMap { Int($0) }
        guard (id == nil) == arguments.has(all), arguments.operands.count <= 2, id != nil || arguments.operand(1) == nil
        else {
            throw UsageError("fault clear: give the number of one fault, or --all; `corehost fault list` shows them")
        }
        let connection = try Connection(arguments, console, of: "fault clear")
        let reply = try connection.ask(.fault(.clear(id: id)), as: FaultClearReply.self)
        if arguments.has(json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            for row in reply.cleared { try console.print(console.clean(over(row, "cleared"))) }
            if reply.cleared.isEmpty { try console.print("no fault is in force") }
        }
        return .ok
    }

    private static func kinds(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        guard !arguments.has(json) else {
            throw UsageError("fault kinds: has no JSON; docs/faults.md has the same as a table")
        }
        for row in FaultTable.rows {
            try console.print("\(row.kind.rawValue)\(row.kind.isOfPlatform ? " (no target)" : ""): \(row.purpose)")
            for parameter in row.parameters {
                let usual = parameter.usual.map { ", \($0) by default" } ?? ""
                try console.print("    \(parameter.name)=…  \(parameter.meaning): \(parameter.bounds)\(usual)")
            }
        }
        return .ok
    }

    // MARK: Words

    private static func words(_ row: FaultRow) -> String {
        let parameters = row.parameters.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined()
        return "fault \(row.id): \(row.kind)\(parameters) --target \(row.target) --seed \(row.seed)"
    }

    private static func inForce(_ row: FaultRow) -> String {
        let holds = row.holds.isEmpty ? "" : ", holds \(row.holds.joined(separator: ", "))"
        let ends = row.endsIn.map { ", ends in \(HumanUnits.duration($0))" } ?? ""
        return "\(words(row)): applied \(row.applied) of \(row.count)\(ends)\(holds)"
    }

    private static func over(_ row: FaultRow, _ how: String) -> String {
        "\(words(row)): applied \(row.applied) of \(row.count), \(how)"
    }

    private static func line(_ news: FaultNews) -> String {
        let place = news.component.map { " \($0)" } ?? ""
        let life = news.generation.map { " g\($0)" } ?? ""
        return "\(news.time) fault \(news.fault) \(news.what)\(place)\(life)\(news.detail.map { ": \($0)" } ?? "")"
    }
}
