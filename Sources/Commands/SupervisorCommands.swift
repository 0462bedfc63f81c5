internal import Control
internal import Supervision

/// Commands about the supervisor: `run status shutdown version`.
package enum SupervisorCommands {
    package static let run = CommandSpec(
        "run", summary: "run the supervisor in the foreground; without --local it waits for a login",
        options: [
            RunOption.local, RunOption.user, RunOption.core, .data, RunOption.apps, RunOption.packs,
            RunOption.resources,
            RunOption.authorities, RunOption.configuration, RunOption.socket, RunOption.json, RunOption.noSandbox,
            RunOption.componentUser, RunOption.allowRootComponents, RunOption.allowEval, RunOption.allowFaults,
        ],
        exitCodes: [
            .ok, .failed, .usage, .dataFolderInUse, .dataFolderNotUsable, .badConfiguration, .bootFailed, .coreStalled,
            .coreBundleInvalid,
        ],
        example: "corehost run --user ada@example.org", run: SupervisorHandover.run)

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

    package static let version = CommandSpec(
        "version", summary: "show the versions of this program and of what it stands on", options: [.json],
        exitCodes: [.ok, .usage, .bootFailed], example: "corehost version", run: SupervisorHandover.run)
}
