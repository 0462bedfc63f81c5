internal import Commands
internal import Control
internal import SupervisionPlane

/// `corehost version`: the engine alone knows its own.
enum VersionCommand {
    static let version = SupervisorCommands.version.performed { arguments, console in
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
}
