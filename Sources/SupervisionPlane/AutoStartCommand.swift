internal import Control
internal import CoreHosting
internal import Glibc

extension RunOptions {
    /// The start of this supervisor by systemd's manager of the user.
    var autoStartup: AutoStartup {
        let names = ["HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]
        let environment = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        let socket = Places(environment: [:]).socket(forDataFolder: dataFolder)
        let name = socket.split(separator: "/").last?.split(separator: ".").first ?? "default"
        return AutoStartup(
            environment: Dictionary(uniqueKeysWithValues: environment), name: String(name), command: commandLine)
    }

    /// What runs the same again, from any folder.
    var commandLine: [String] {
        let flags = [
            ("--local", isLocal), ("--json", writesJSON), ("--no-sandbox", !isSandboxed),
            ("--allow-root-components", allowsRootComponents), ("--allow-eval", allowsEval),
            ("--allow-faults", allowsFaults),
        ]
        let words = [("--user", expectedUser), ("--component-user", componentUser)]
        let paths = [
            ("--data", dataFolder), ("--socket", socketPath), ("--apps", appsFolder), ("--packs", packsFolder),
            ("--resources", resourcesFolder), ("--core", coreFolder), ("--ca-file", authoritiesFile),
            ("--config", configurationIsRequired ? configurationFile : nil),
        ]
        let values = words + paths.map { ($0, $1.map(Places.real)) }
        // An address may begin with a dash.
        return [Installation.ownPath, "run"] + flags.filter(\.1).map(\.0)
            + values.compactMap { option, value in value.map { "\(option)=\($0)" } }
    }
}
