internal import Configuration
internal import Control
internal import Supervision

/// `corehost config check`, `corehost config show [ID]`: what `run` would make of the configuration. No supervisor is asked.
enum ConfigCommand {
    static let file = OptionSpec(
        "--config", value: "FILE", meaning: "configuration ($XDG_CONFIG_HOME/corehost/corehost.jsonc by default)")

    static let config = CommandSpec(
        "config", [.required("check|show"), .optional("ID")],
        summary: "check the configuration, or show what it says of a component (ID: app or id) and what are defaults",
        options: [.json, file], exitCodes: [.ok, .failed, .usage, .badConfiguration],
        example: "corehost config show chat.app.privacysafe.io"
    ) { arguments, console in
        switch arguments.operand(0) {
        case "check": try check(arguments, console)
        case "show": try show(arguments, console)
        case let other:
            throw UsageError("config: there is no \"\(other ?? "")\"; use `corehost config check` or `config show`")
        }
    }

    /// Reads it, or ends the command with what is wrong.
    static func read(
        _ arguments: ParsedArguments, _ console: Console
    ) throws(UsageError) -> Result<(Configuration, path: String), ConfigurationError> {
        let places = Places(environment: console.environment)
        guard let path = places.configurationFile(option: arguments.value(of: file)) else {
            throw UsageError("config: HOME is not set; say where the configuration is with --config FILE")
        }
        do throws(ConfigurationError) {
            return .success((try Configuration(path: path, isNamedByUser: arguments.has(file)), path))
        } catch {
            return .failure(error)
        }
    }

    /// The component that an operand names: an id, or an app as a whole.
    static func component(_ text: String) throws(UsageError) -> ComponentID {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let app = parts.first, !app.isEmpty, parts.count < 2 || !parts[1].isEmpty else {
            throw UsageError("\"\(text)\" is no id; give <app domain>/<entry file>, or an app domain")
        }
        return ComponentID(appDomain: String(app), entrypoint: parts.count > 1 ? "/\(parts[1])" : "/")
    }

    private static func check(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        if let extra = arguments.operand(1) {
            throw UsageError("config: check takes no \"\(extra)\"; `corehost config show \(extra)` shows its rules")
        }
        switch try read(arguments, console) {
        case .success(let (configuration, path)):
            let names = configuration.componentNames
            try console.print(
                arguments.has(.json)
                    ? JSONWriter.indented([
                        "schema": "corehost.config-check/1", "file": .string(path), "ok": true,
                        "components": .array(names.map { .string($0) }),
                    ])
                    : "\(console.clean(path)): right; rules for \(names.isEmpty ? "no component, all are defaults" : names.joined(separator: ", "))"
            )
            return .ok
        case .failure(let error):
            if arguments.has(.json) {
                try console.print(
                    JSONWriter.indented([
                        "schema": "corehost.config-check/1", "file": .string(error.file), "ok": false,
                        "line": error.line.map { .int(Int64($0)) } ?? .null,
                        "column": error.column.map { .int(Int64($0)) } ?? .null, "key": .string(error.keyPath),
                        "message": .string("\(error)"),
                    ]))
            } else {
                console.error("corehost: \(error)")
            }
            return .badConfiguration
        }
    }

    private static func show(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let id = try arguments.operand(1).map { text throws(UsageError) in try component(text) }
        switch try read(arguments, console) {
        case .failure(let error):
            console.error("corehost: \(error)")
            return .badConfiguration
        case .success(let (configuration, path)):
            // What a manifest implies is not known here: permanent for what starts with the system, else temporary.
            let settings = configuration.settings(for: id, restart: .temporary)
            func value(_ setting: Configuration.Setting) -> String {
                setting.name == "restart" && setting.origin == nil ? "by the manifest" : setting.value
            }
            if arguments.has(.json) {
                let rows: [JSONValue] = settings.map { setting in
                    [
                        "key": .string(setting.name), "value": .string(value(setting)),
                        "from": setting.origin.map { .string($0) } ?? .null,
                        "line": setting.line.map { .int(Int64($0)) } ?? .null,
                    ]
                }
                try console.print(
                    JSONWriter.indented([
                        "schema": "corehost.config/1", "file": .string(path),
                        "component": arguments.operand(1).map { .string($0) } ?? .null, "settings": .array(rows),
                    ]))
                return .ok
            }
            for setting in settings {
                let line = setting.line.map { ", line \($0)" } ?? ""
                let from = setting.origin.map { "components.\"\($0)\"\(line)" } ?? "default"
                try console.print(
                    "\(setting.name.padded(to: 20)) \(value(setting).padded(to: 16)) \(console.clean(from))")
            }
            return .ok
        }
    }
}
