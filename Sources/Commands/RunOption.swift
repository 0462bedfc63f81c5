/// Options of `corehost run`.
package enum RunOption {
    package static let local = OptionSpec("--local", meaning: "with a local user, without an account or a login")
    package static let user = OptionSpec(
        "--user", value: "ADDRESS", meaning: "refuse logins of everybody else, automatic ones too")
    package static let apps = OptionSpec(
        "--apps", value: "DIR", meaning: "folder of apps (else those of the resources)")
    package static let packs = OptionSpec(
        "--packs", value: "DIR", meaning: "folder of app packs that can be installed (else those of the resources)")
    package static let resources = OptionSpec(
        "--resources", value: "DIR", meaning: "folder of scripts and bundled apps (else <program>/../share/corehost)")
    package static let core = OptionSpec(
        "--core", value: "DIR", meaning: "folder with the two bundles of a core (BUILDING.md), else the embedded core")
    package static let authorities = OptionSpec(
        "--ca-file", value: "FILE", meaning: "certificates (PEM) of authorities to trust beside the system's")
    package static let configuration = OptionSpec(
        "--config", value: "FILE", meaning: "configuration ($XDG_CONFIG_HOME/corehost/corehost.jsonc by default)")
    package static let socket = OptionSpec(
        "--socket", value: "PATH", meaning: "where to listen for commands (else by the data folder)")
    package static let noSandbox = OptionSpec(
        "--no-sandbox", meaning: "do not confine components: they can do all that you can")
    package static let componentUser = OptionSpec(
        "--component-user", value: "NAME", meaning: "who components run as if corehost runs as root (else nobody)")
    package static let allowRootComponents = OptionSpec(
        "--allow-root-components", meaning: "let components run as root, if corehost does")
    package static let allowEval = OptionSpec(
        "--allow-eval", meaning: "let `corehost eval` run JavaScript in components and in the core")
    package static let allowFaults = OptionSpec(
        "--allow-faults", meaning: "let `corehost fault` and `corehost chaos` break things on purpose")
    package static let json = OptionSpec("--json", meaning: "write each line of the supervisor as a JSON object")
}
