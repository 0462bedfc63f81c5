internal import ComponentHosting
internal import CoreHosting
internal import EventLoop
internal import JSEngine
internal import PlatformScripts

/// The check on the thread of the bundles: both contexts on one loop, and the steps one after the other.
final class CheckRun {
    private let loop: Loop
    private let scripts: PlatformScripts
    private let limit: Duration
    private let ended: CheckEnd
    private let tell: (CheckProgress) -> Void
    /// A step has failed: those that need it are not tried.
    private var failedStep: String?

    static func perform(
        places: CorePlaces, stepLimit: Duration, ended: CheckEnd, tell: @escaping (CheckProgress) -> Void
    ) {
        do {
            let loop = try Loop(pumpingGLib: true)
            try ended.wake(loop)
            defer {
                ended.close()
                loop.run()
                loop.close()
            }
            try CheckRun(places, loop, stepLimit, ended, tell).run(places)
        } catch {
            let step = CheckedStep(name: "the check", status: .failed, milliseconds: nil, note: "\(error)")
            tell(.found(.step(step)))
        }
    }

    private init(
        _ places: CorePlaces, _ loop: Loop, _ limit: Duration, _ ended: CheckEnd,
        _ tell: @escaping (CheckProgress) -> Void
    ) {
        self.loop = loop
        self.limit = limit
        self.ended = ended
        self.tell = tell
        scripts = PlatformScripts(folder: places.resources, bundles: places.bundles)
    }

    private func run(_ places: CorePlaces) throws {
        let core = CheckContext(.core, on: loop, scripts, limit, ended, tell)
        let client = CheckContext(.client, on: loop, scripts, limit, ended, tell)
        let natives = try CoreNatives(places: places, loop: loop)
        natives.registerAll(on: core.engine)
        defer {
            natives.close()
            client.engine.close()
            core.engine.close()
        }
        connect(core.engine, client.engine)
        // Both halves are looked at, whatever is wrong with the other.
        let isCoreUsable = core.load()
        let isClientUsable = client.load()
        guard isCoreUsable, isClientUsable else {
            tell(.found(.step(notTried("sign-up, start, storage, close", "the bundles are not what they must be"))))
            return
        }
        do throws(CheckFailure) {
            try core.prepareTrial([
                "js/core-cryptor.js", "js/core-net.js", "js/core-events.js", "core/contract/trial-core.js",
            ])
        } catch {
            tell(.found(.step(failed("the trial's own scripts", error.reason))))
            return
        }
        trial(core, client)
    }

    private func trial(_ core: CheckContext, _ client: CheckContext) {
        for name in ["Core.make", "start", "sign-up", "coreInit", "coreAppsInit", "getRootKey", "makeCAPsForApp"] {
            step(name, core)
        }
        for name in ["storage, the core's side", "exposeW3N, makeCoreSide"] { step(name, core) }
        if failedStep == nil {
            do throws(CheckFailure) {
                try client.prepareTrial(["js/app-preload.js", "core/contract/trial-client.js"])
            } catch {
                failedStep = "promiseW3Nclient"
                tell(.found(.step(failed("promiseW3Nclient", error.reason))))
            }
        }
        for name in ["w3n, the client's side", "storage, the client's side", "the platform's capabilities"] {
            step(name, client)
        }
        step("the client's files, on the core's side", core)
        let reason = failedStep
        // Whatever was wrong, what was made is closed.
        failedStep = ["Core.make", "start"].contains(reason) ? reason : nil
        step("close", core)
        failedStep = failedStep ?? reason
        for name in ["startDirectlyFromCache", "sign-in"] { step(name, core) }
    }

    private func step(_ name: String, _ context: CheckContext) {
        if let failedStep {
            tell(.found(.step(notTried(name, "it needs what \"\(failedStep)\" did not give"))))
            return
        }
        guard !ended.isHere else { return }
        tell(.begins(name))
        let start = loop.now
        do throws(CheckFailure) {
            let result = try context.settle("__trial.run(name)", name: name)
            for row in context.names(result["rows"], of: name == "start" ? "start()" : "core") {
                tell(.found(.name(row)))
            }
            if let why = result["notTried"].string {
                failedStep = name
                tell(.found(.step(notTried(name, why))))
            } else {
                let took = Double(loop.now - start) / 1e6
                tell(.found(.step(CheckedStep(name: name, status: .ok, milliseconds: took, note: nil))))
            }
        } catch {
            failedStep = name
            tell(.found(.step(failed(name, error.reason))))
        }
    }

    private func notTried(_ name: String, _ why: String) -> CheckedStep {
        CheckedStep(name: name, status: .notTried, milliseconds: nil, note: why)
    }

    private func failed(_ name: String, _ reason: String) -> CheckedStep {
        CheckedStep(name: name, status: .failed, milliseconds: nil, note: reason)
    }

    // MARK: The port between the two

    /// As a component's data pipe: each message is copied, and arrives in a later turn.
    private func connect(_ core: JSEngineHost, _ client: JSEngineHost) {
        carry(from: core, "__portSend_c-trial", to: client, "__portRecv_core")
        carry(from: client, "__portSend_core", to: core, "__portRecv_c-trial")
        client.registerPort(ComponentPorts.listCoreObjPath) { [loop] arguments in
            let path = try arguments.texts(0)
            let promise = client.makePromise()
            loop.atNextTurn { [unowned core, unowned client] in
                do {
                    let list = core.array(path, core.string)
                    let names = try core.call(core.global["__trial"]["listObj"], [list])
                    promise.resolve { _ in client.value(fromJSON: names.json ?? "null") ?? client.null }
                } catch {
                    promise.reject(error)
                }
            }
            return promise.value
        }
        client.registerPort(ComponentPorts.disconnectFromCore) { _ in nil }
        for engine in [core, client] { engine.installDispatcher() }
    }

    private func carry(from: JSEngineHost, _ send: String, to: JSEngineHost, _ receive: String) {
        from.global.set(
            send,
            from.makeFunction { [loop, unowned from, unowned to] arguments in
                guard let bytes = arguments[0].bytes.map({ [UInt8]($0) }) else {
                    throw RuntimeException.badArgument(port: send, "a message is a Uint8Array")
                }
                loop.atNextTurn { [unowned to] in to.perform(to.global[receive], [to.bytes(copying: bytes)]) }
                return from.boolean(true)
            })
    }
}
