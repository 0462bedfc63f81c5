internal import EventLoop
internal import JSEngine

/// The ports behind the capability `system.autoStartup`.
final class AutoStartupPorts {
    static let state = PortSignature(
        "autostart_state", gives: "promise of `{isAvailable, isSet, reason?}`",
        "Whether the platform starts with the user's login to the machine, by a unit of systemd's user manager; `reason` "
            + "tells why it cannot.")
    static let set = PortSignature(
        "autostart_set", [.init("isWanted", .flag)], gives: "promise of nothing",
        throws: "`auto-startup`: `notAvailable`, `notWritten`",
        "Enables that unit, or disables it, from the next login on.")
    static let group = PortGroup("Start with the machine", [state, set])

    private let startup: AutoStartup
    private let work: PromisedWork

    init(_ startup: AutoStartup, loop: Loop) {
        self.startup = startup
        work = PromisedWork(loop: loop)
    }

    func registerAll(on engine: JSEngineHost) {
        engine.registerPort(Self.state) { [startup, work] arguments in
            work.run(on: arguments.engine) {
                (startup.obstacle, startup.isSet)
            } answer: { engine, state in
                let object = engine.makeObject()
                object.set("isAvailable", engine.boolean(state.0 == nil))
                object.set("isSet", engine.boolean(state.1))
                if let reason = state.0 { object.set("reason", engine.string(reason)) }
                return object
            }
        }
        engine.registerPort(Self.set) { [startup, work] arguments in
            let isWanted = arguments.flag(0)
            return work.run(on: arguments.engine) {
                try startup.set(isWanted)
            } answer: { engine, _ in
                engine.undefined
            }
        }
    }

    func close() { work.close() }
}
