internal import Control
internal import Glibc

/// The `corehost` command line.
public enum CommandLineMain {
    /// Runs one command with the arguments behind the program's name; gives the process's exit code.
    public static func run(_ arguments: [String]) -> Int32 { run(arguments, commands) }

    package static func run(_ arguments: [String], _ commands: [CommandSpec]) -> Int32 {
        Console.openStandardDescriptors()
        // A reader that has gone shows as a failed write, here and in the supervisor.
        signal(SIGPIPE, SIG_IGN)
        let names = [
            "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "COREHOST_SOCKET", "NO_COLOR", "TERM",
        ]
        let environment = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        let console = Console.standard(environment: Dictionary(uniqueKeysWithValues: environment))
        return run(arguments, commands, console: console).rawValue
    }

    package static let commands: [CommandSpec] = [
        [SupervisorCommands.run], AccountCommands.all, Array(ComponentCommands.all.prefix(2)), DeathCommands.all,
        [LogsCommand.logs, EventsCommand.events], Array(ComponentCommands.all.dropFirst(2)), TaskCommands.all,
        InspectionCommands.all,
        [
            AppsCommand.apps, AuditCommand.audit, SupervisorCommands.status, SupervisorCommands.shutdown,
            FaultCommand.fault, ReloadCommand.reload, CoreCommand.core, ChaosCommand.chaos, ConfigCommand.config,
            PolicyCommand.policy, SimulateCommand.simulate, SupervisorCommands.version, help,
        ],
    ].flatMap { $0 }

    private static let help = CommandSpec(
        "help", [.optional("COMMAND")], summary: "show what a command does", exitCodes: [.ok, .usage],
        example: "corehost help logs"
    ) { arguments, console in
        guard let name = arguments.operand(0) else {
            try console.print(Help.overview(commands))
            return .ok
        }
        try console.print(Help.text(try command(named: name, commands)))
        return .ok
    }

    static func run(
        _ arguments: [String], _ commands: [CommandSpec] = commands, console: Console
    ) -> ExitCode {
        do {
            return try dispatch(arguments, commands, console)
        } catch is OutputClosed {
            return .ok
        } catch let error as UsageError {
            console.error("corehost: \(error)")
            return .usage
        } catch let error as ControlError where error.exitCode == .callRejected {
            console.error(JSONWriter.text(error.data["exception"] ?? .null))
            return .callRejected
        } catch let error as ControlError {
            console.error("corehost: \(console.clean(error.message))")
            return error.exitCode
        } catch {
            console.error("corehost: \(error)")
            return .failed
        }
    }

    private static func dispatch(
        _ arguments: [String], _ commands: [CommandSpec], _ console: Console
    ) throws -> ExitCode {
        guard let first = arguments.first else {
            throw UsageError("which command? `corehost help` lists them")
        }
        if first == "-h" || first == "--help" { return try help.run(ParsedArguments(), console) }
        let command = try command(named: first == "--version" ? "version" : first, commands)
        let parsed = try ArgumentParser.parse(Array(arguments.dropFirst()), for: command)
        if parsed.has(.help) {
            try console.print(Help.text(command))
            return .ok
        }
        return try command.run(parsed, console)
    }

    private static func command(
        named name: String, _ commands: [CommandSpec]
    ) throws(UsageError) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        if Self.commands.contains(where: { $0.name == name }) {
            let known = commands.map(\.name).joined(separator: ", ")
            throw UsageError("this program has \(known); use `corehost \(name)`")
        }
        let hint = Suggestion.text(for: name, among: commands.map(\.name))
        throw UsageError("there is no command \"\(name)\"\(hint) `corehost help` lists them")
    }
}
