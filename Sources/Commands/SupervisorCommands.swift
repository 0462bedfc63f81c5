internal import Control
internal import Supervision
internal import SupervisionPlane

/// Commands about the supervisor: `run status shutdown version`.
enum SupervisorCommands {
    private static let local = OptionSpec("--local", meaning: "with a local user, without an account or a login")
    private static let user = OptionSpec(
        "--user", value: "ADDRESS", meaning: "refuse logins of everybody else, automatic ones too")
    private static let apps = OptionSpec(
        "--apps", value: "DIR", meaning: "folder of apps (else those of the resources)")
    private static let packs = OptionSpec(
        "--packs", value: "DIR", meaning: "folder of app packs that can be installed (else those of the resources)")
    static let resources = OptionSpec(
        "--resources", value: "DIR", meaning: "folder of scripts and bundled apps (else <program>/../share/corehost)")
    private static let core = OptionSpec(
        "--core", value: "DIR", meaning: "folder with the two bundles of a core (BUILDING.md), else the embedded core")
    private static let authorities = OptionSpec(
        "--ca-file", value: "FILE", meaning: "certificates (PEM) of authorities to trust beside the system's")
    private static let configuration = OptionSpec(
        "--config", value: "FILE", meaning: "configuration ($XDG_CONFIG_HOME/corehost/corehost.jsonc by default)")
    private static let runSocket = OptionSpec(
        "--socket", value: "PATH", meaning: "where to listen for commands (else by the data folder)")

    private static let noSandbox = OptionSpec(
        "--no-sandbox", meaning: "do not confine components: they can do all that you can")
    private static let componentUser = OptionSpec(
        "--component-user", value: "NAME", meaning: "who components run as if corehost runs as root (else nobody)")
    private static let allowRootComponents = OptionSpec(
        "--allow-root-components", meaning: "let components run as root, if corehost does")
    private static let allowEval = OptionSpec(
        "--allow-eval", meaning: "let `corehost eval` run JavaScript in components and in the core")
    private static let allowFaults = OptionSpec(
        "--allow-faults", meaning: "let `corehost fault` and `corehost chaos` break things on purpose")
    private static let runJSON = OptionSpec("--json", meaning: "write each line of the supervisor as a JSON object")

    static let run = CommandSpec(
        "run", summary: "run the supervisor in the foreground; without --local it waits for a login",
        options: [
            local, user, core, .data, apps, packs, resources, authorities, configuration, runSocket, runJSON,
            noSandbox, componentUser, allowRootComponents, allowEval, allowFaults,
        ],
        exitCodes: [
            .ok, .failed, .usage, .dataFolderInUse, .dataFolderNotUsable, .badConfiguration, .bootFailed, .coreStalled,
            .coreBundleInvalid,
        ],
        example: "corehost run --user ada@example.org"
    ) { arguments, console in
        let code = SupervisorMain.run(try runOptions(arguments, console.environment))
        return ExitCode(rawValue: code) ?? .failed
    }

    static let status = CommandSpec(
        "status", summary: "show the supervisor: version, places, login, ports, problems",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes, example: "corehost status --json"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "status").ask(.status, as: StatusReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            for line in Outline.lines(reply.json, console: console) { try console.print(line) }
        }
        return .ok
    }

    static let shutdown = CommandSpec(
        "shutdown", summary: "end the supervisor and all components, wait until they are gone",
        options: [.json, .timeout] + Connection.options, exitCodes: Connection.exitCodes,
        example: "corehost shutdown --timeout 1m"
    ) { arguments, console in
        let connection = try Connection(arguments, console, of: "shutdown")
        let reply = try connection.ask(.shutdown, as: ShutdownReply.self)
        try connection.client.waitForEnd(within: connection.limit)
        try console.print(
            arguments.has(.json) ? JSONWriter.indented(reply.json) : "the supervisor, process \(reply.pid), has ended")
        return .ok
    }

    static let version = CommandSpec(
        "version", summary: "show the versions of this program and of what it stands on", options: [.json],
        exitCodes: [.ok, .usage], example: "corehost version"
    ) { arguments, console in
        let reply = BuildVersion.reply
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            try console.print("corehost \(reply.version)")
            for (name, version) in [("Swift", reply.swift), ("libuv", reply.libuv), ("JavaScriptCore", reply.engine)] {
                if let version { try console.print("\(name) \(version)") }
            }
        }
        return .ok
    }

    static func runOptions(
        _ arguments: ParsedArguments, _ environment: [String: String]
    ) throws(UsageError) -> RunOptions {
        if arguments.has(local), arguments.has(core) {
            throw UsageError("run: --local is a user of the embedded core; leave out --local, or --core")
        }
        let expected = arguments.value(of: user)
        if let problem = expected.flatMap(Address.problem) {
            throw UsageError("run: --user \"\(expected?.prefix(80) ?? "")\" \(problem)")
        }
        if arguments.has(local), expected != nil {
            throw UsageError("run: --local has its own user; leave out --local or --user")
        }
        if arguments.has(noSandbox), arguments.has(componentUser) || arguments.has(allowRootComponents) {
            throw UsageError("run: --no-sandbox leaves components as they are; leave out what says who they are")
        }
        let places = Places(environment: environment)
        guard let data = places.dataFolder(option: arguments.value(of: .data)) else {
            throw UsageError("run: HOME is not set; say where the data shall be with --data DIR")
        }
        return RunOptions(
            isLocal: arguments.has(local), expectedUser: expected, dataFolder: data,
            appsFolder: arguments.value(of: apps), packsFolder: arguments.value(of: packs),
            resourcesFolder: arguments.value(of: resources),
            coreFolder: arguments.value(of: core), authoritiesFile: arguments.value(of: authorities),
            configurationFile: places.configurationFile(option: arguments.value(of: configuration)),
            configurationIsRequired: arguments.has(configuration),
            socketPath: arguments.value(of: runSocket).map(Places.real) ?? places.socket(forDataFolder: data),
            writesJSON: arguments.has(runJSON), isSandboxed: !arguments.has(noSandbox),
            componentUser: arguments.value(of: componentUser),
            allowsRootComponents: arguments.has(allowRootComponents), allowsEval: arguments.has(allowEval),
            allowsFaults: arguments.has(allowFaults))
    }
}
