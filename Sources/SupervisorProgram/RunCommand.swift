internal import Commands
internal import Control
internal import Supervision
internal import SupervisionPlane

/// `corehost run`.
enum RunCommand {
    static let run = SupervisorCommands.run.performed { arguments, console in
        let code = SupervisorMain.run(try options(arguments, console.environment))
        return ExitCode(rawValue: code) ?? .failed
    }

    static func options(
        _ arguments: ParsedArguments, _ environment: [String: String]
    ) throws(UsageError) -> RunOptions {
        if arguments.has(RunOption.local), arguments.has(RunOption.core) {
            throw UsageError("run: --local is a user of the embedded core; leave out --local, or --core")
        }
        let expected = arguments.value(of: RunOption.user)
        if let problem = expected.flatMap(Address.problem) {
            throw UsageError("run: --user \"\(expected?.prefix(80) ?? "")\" \(problem)")
        }
        if arguments.has(RunOption.local), expected != nil {
            throw UsageError("run: --local has its own user; leave out --local or --user")
        }
        if arguments.has(RunOption.noSandbox),
            arguments.has(RunOption.componentUser) || arguments.has(RunOption.allowRootComponents)
        {
            throw UsageError("run: --no-sandbox leaves components as they are; leave out what says who they are")
        }
        let places = Places(environment: environment)
        guard let data = places.dataFolder(option: arguments.value(of: .data)) else {
            throw UsageError("run: HOME is not set; say where the data shall be with --data DIR")
        }
        return RunOptions(
            isLocal: arguments.has(RunOption.local), expectedUser: expected, dataFolder: data,
            appsFolder: arguments.value(of: RunOption.apps), packsFolder: arguments.value(of: RunOption.packs),
            resourcesFolder: arguments.value(of: RunOption.resources),
            coreFolder: arguments.value(of: RunOption.core),
            authoritiesFile: arguments.value(of: RunOption.authorities),
            configurationFile: places.configurationFile(option: arguments.value(of: RunOption.configuration)),
            configurationIsRequired: arguments.has(RunOption.configuration),
            socketPath: arguments.value(of: RunOption.socket).map(Places.real) ?? places.socket(forDataFolder: data),
            writesJSON: arguments.has(RunOption.json), isSandboxed: !arguments.has(RunOption.noSandbox),
            componentUser: arguments.value(of: RunOption.componentUser),
            allowsRootComponents: arguments.has(RunOption.allowRootComponents),
            allowsEval: arguments.has(RunOption.allowEval),
            allowsFaults: arguments.has(RunOption.allowFaults))
    }
}
