internal import Chaos
internal import Configuration
internal import Control
internal import Glibc

/// `corehost chaos run SCENARIO`, `corehost chaos check SCENARIO`.
enum ChaosCommand {
    private static let json = OptionSpec("--json", value: "FILE", meaning: "write the report as JSON there; - = here")
    private static let junit = OptionSpec("--junit", value: "FILE", meaning: "write it as JUnit XML there")
    private static let seed = OptionSpec("--seed", value: "N", meaning: "draw lots by this number, not the scenario's")
    private static let own = OptionSpec(
        "--own-supervisor", meaning: "on a supervisor of its own, with a scratch data folder and a local user")

    static let chaos = CommandSpec(
        "chaos", [.required("run|check"), .required("SCENARIO")],
        summary: "break a platform on purpose, by a scenario, and judge whether it keeps its promises",
        options: [json, junit, seed, own, RunOption.resources] + Connection.options,
        exitCodes: Connection.exitCodes + [.noSuchID, .probeFailed, .badConfiguration, .bootFailed],
        example: "corehost chaos run kill-one --own-supervisor"
    ) { arguments, console in
        switch arguments.operand(0) {
        case "check": try check(arguments, console)
        case "run": try run(arguments, console)
        case let other:
            throw UsageError("chaos: there is no \"\(other ?? "")\"; use `corehost chaos run` or `chaos check`")
        }
    }

    /// A file, or the name of a scenario that comes with the platform.
    private static func file(_ arguments: ParsedArguments) -> String {
        let name = arguments.operand(1) ?? ""
        // Where there are no resources it can only be a file, and what is wrong with that is said of it.
        guard !name.contains("/"), access(name, F_OK) != 0,
            let resources = try? Installation.resources(arguments.value(of: RunOption.resources))
        else { return name }
        let shipped = "\(resources)/chaos/\(name).jsonc"
        return access(shipped, F_OK) == 0 ? shipped : name
    }

    private static func check(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        if let option = [junit, seed, own].first(where: { arguments.has($0) }) {
            throw UsageError("chaos: \(option.key) is for `chaos run`; leave it out")
        }
        let scenario: Scenario
        do throws(ConfigurationError) {
            scenario = try Scenario(path: file(arguments))
        } catch {
            try write(ChaosText.json(error), to: arguments.value(of: json), console)
            console.error("corehost: \(error)")
            return .badConfiguration
        }
        try write(ChaosText.json(scenario, file(arguments)), to: arguments.value(of: json), console)
        if arguments.value(of: json) != "-" {
            try console.print(console.clean("\(file(arguments)): right; \(ChaosText.summary(scenario))"))
        }
        return .ok
    }

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let scenario: Scenario
        do throws(ConfigurationError) {
            scenario = try Scenario(path: file(arguments))
        } catch {
            console.error("corehost: \(error)")
            return .badConfiguration
        }
        for option in [json, junit] { try checkPlace(arguments.value(of: option)) }
        let seed = try seed(arguments) ?? scenario.seed
        var mark = UInt32.random(in: 0 ... .max)
        mark |= 1 << 31
        let run = ChaosRun(scenario, seed: seed, mark: String(mark, radix: 36))
        let isQuiet = arguments.value(of: json) == "-"
        var feed = ChaosFeed(isQuiet ? nil : console)
        let report: ChaosReport
        let signals = HeldSignals()
        defer { signals.letThrough() }
        if isOwn(scenario, arguments) {
            let supervisor: OwnSupervisor
            do throws(OwnSupervisor.Failure) {
                supervisor = try OwnSupervisor(
                    scenario.supervisor, program: "/proc/self/exe",
                    resources: arguments.value(of: RunOption.resources), signals: signals)
            } catch {
                if let number = error.signal { end(by: number) }
                console.error("corehost: \(error)")
                return .bootFailed
            }
            do {
                let ended = try ChaosDriver.perform(
                    run, socket: supervisor.socket, signals: signals, abandon: supervisor.kill
                ) { feed.tell($0) }
                let said = ended.supervisorIsGone == nil ? "" : supervisor.lastLines
                report = ChaosReport(ended, seed: seed, end: supervisor.end())
                if let number = supervisor.interruption { end(by: number) }
                if !said.isEmpty { console.error(console.clean("what the supervisor said at last:\n\(said)")) }
            } catch {
                _ = supervisor.end()
                throw error
            }
        } else {
            let places = Places(environment: console.environment)
            let socket = places.clientSocket(
                socketOption: arguments.value(of: .socket), dataOption: arguments.value(of: .data))
            guard let socket else { throw UsageError("chaos: HOME is not set; say which supervisor with --socket") }
            report = ChaosReport(
                try ChaosDriver.perform(run, socket: socket, signals: signals) { feed.tell($0) }, seed: seed, end: nil)
        }
        return try finish(report, feed, arguments, console)
    }

    private static func finish(
        _ report: ChaosReport, _ feed: ChaosFeed, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        var failure: (any Error)?
        do {
            feed.end()
            if arguments.value(of: json) != "-" {
                for line in report.lines { try console.print(ChaosText.coloured(line, console)) }
            }
        } catch {
            // A reader that has gone keeps no file from being written.
            failure = error
        }
        try write(report.json, to: arguments.value(of: json), console)
        if let path = arguments.value(of: junit) { try write(report.junit, to: path) }
        if case .interrupted(let number) = report.outcome { end(by: number) }
        if let failure, !(failure is OutputClosed) { throw failure }
        return report.exitCode
    }

    /// A scenario that says how its supervisor is started has one, unless the user names another.
    private static func isOwn(_ scenario: Scenario, _ arguments: ParsedArguments) -> Bool {
        arguments.has(own) || (scenario.supervisor != nil && !arguments.has(.socket) && !arguments.has(.data))
    }

    private static func seed(_ arguments: ParsedArguments) throws(UsageError) -> UInt64? {
        if arguments.has(own), let option = [OptionSpec.socket, .data].first(where: { arguments.has($0) }) {
            throw UsageError("chaos: --own-supervisor has a place of its own; leave out \(option.key)")
        }
        guard let text = arguments.value(of: seed) else { return nil }
        guard let number = UInt64(text), number <= 1 << 53 else {
            throw UsageError("chaos: --seed must be a whole number from 0 to 2^53, not \"\(text)\"")
        }
        return number
    }

    private static func write(_ value: JSONValue, to path: String?, _ console: Console) throws {
        guard let path else { return }
        if path == "-" { return try console.print(JSONWriter.indented(value)) }
        try write(JSONWriter.indented(value) + "\n", to: path)
    }

    struct WriteFailed: Error, CustomStringConvertible {
        let description: String
    }

    /// A report that nobody can read later is no reason to break a platform now.
    private static func checkPlace(_ path: String?) throws(WriteFailed) {
        guard let path, path != "-" else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(access(path, F_OK) == 0 ? path : folder, W_OK) == 0 else {
            throw WriteFailed(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    private static func write(_ text: String, to path: String) throws(WriteFailed) {
        let file = fopen(path, "we")
        let isWritten = file.map { fputs(text, $0) >= 0 } ?? false
        let isClosed = file.map { fclose($0) == 0 } ?? false
        guard isWritten, isClosed else {
            throw WriteFailed(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// As the signal would have, had it not been waited for: a shell sees what ended the command.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        HeldSignals().letThrough()
        kill(getpid(), number)
        _exit(128 + number)
    }
}
