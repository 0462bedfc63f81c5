internal import EventLoop
internal import JSEngine
internal import PlatformScripts
internal import PortBridge
internal import Wire

/// A component's context and its data pipe, from the boot order on.
final class Component {
    /// What happens in a component, for the one who decides.
    struct Events {
        let console: (ConsoleLevel, String) -> Void
        let uncaught: (UncaughtKind, JSError) -> Void
        let frame: (FrameKind, consuming FrameBody) -> Void
        let dataEnd: (DataPipe.End) -> Void
        /// The component called `ipc_disconnectFromCore`.
        let disconnect: () -> Void
        let host: (HostCall) -> Void
    }

    /// A script of the platform failed: this installation is broken.
    struct PlatformFailure: Error, CustomStringConvertible {
        let script: String
        let reason: String
        var stack: String?

        var description: String { "\(script): \(reason)" }
    }

    /// What scripts are loaded from later on, when no file can be opened any more.
    static let lazyFolder = "js/lazy"

    /// Scripts of the platform and of the core, by the beginnings of their names.
    private static let platformScripts = ["js/", "core/", "bundle/"]

    let engine: JSEngineHost
    /// `<file>:<line>` of the component's own code that runs now; nil where there is none, or the engine does not tell.
    var codePlace: String? {
        guard let place = engine.callers(atMost: 12).first(where: { !Self.isOfPlatform($0) }) else { return nil }
        return place.hasPrefix(appDomain + "/") ? String(place.dropFirst(appDomain.utf8.count + 1)) : place
    }
    private let appDomain: String
    let pipe: DataPipe
    let port: JSPort
    let lists: ListCalls
    private let resources: PlatformScripts
    private let lazyScripts: HeldScripts
    private let noop: JSReference

    private static func isOfPlatform(_ place: String) -> Bool { platformScripts.contains { place.hasPrefix($0) } }

    init(_ order: BootOrder, on loop: Loop, events: Events) throws(PlatformFailure) {
        appDomain = order.appDomain
        engine = JSEngineHost(
            label: "w3n-deno://\(order.appDomain)\(order.entrypoint)", loop: loop, console: events.console,
            uncaught: events.uncaught)
        do {
            pipe = try DataPipe(
                takingOwnershipOf: StartArguments.dataDescriptor,
                generation: UInt16(truncatingIfNeeded: order.generation), limit: order.frameLimit,
                queue: DataPipe.QueueBounds(
                    highWater: Int(clamping: order.queue.highWater), limit: Int(clamping: order.queue.limit)),
                on: loop, onFrame: events.frame, onEnd: events.dataEnd)
        } catch {
            throw PlatformFailure(script: "data pipe", reason: "\(error)")
        }
        engine.registerCommonPorts()
        lists = ListCalls(on: engine, over: pipe)
        engine.registerPort(ComponentPorts.disconnectFromCore) { _ in
            events.disconnect()
            return nil
        }
        Self.registerHostPorts(on: engine, events.host)
        engine.installDispatcher()
        port = JSPort(name: "core", on: engine, over: pipe)
        let resources = PlatformScripts(
            folder: order.resources, bundles: order.bundles.isEmpty ? nil : order.bundles)
        self.resources = resources
        do {
            lazyScripts = try HeldScripts(of: resources, in: Self.lazyFolder)
        } catch {
            throw PlatformFailure(script: Self.lazyFolder, reason: "\(error)")
        }
        engine.provideScripts { [lazyScripts] name in try lazyScripts.text("js/\(name)") }
        noop = JSReference(engine.makeFunction { _ in nil })
    }

    private static func registerHostPorts(on engine: JSEngineHost, _ host: @escaping (HostCall) -> Void) {
        engine.registerPort(ComponentPorts.status) { arguments in
            host(.status(try arguments.text(0)))
            return nil
        }
        engine.registerPort(ComponentPorts.extendStart) { arguments in
            host(.extendStart(milliseconds: UInt32(arguments.number(0).rounded(.up))))
            return nil
        }
        engine.registerPort(ComponentPorts.ready) { _ in
            host(.ready)
            return nil
        }
    }

    /// Evaluates the platform's scripts: when this returns, `_awaitPreloadInit` is there.
    func preload() throws(PlatformFailure) {
        try load("js/common-preload.js")
        let bundle: [String]
        do {
            bundle = try resources.files(of: .client, with: engine)
        } catch {
            throw PlatformFailure(script: "core/bundle.json", reason: "\(error)")
        }
        for name in bundle { try load(name) }
        try load("js/app-preload.js")
    }

    private func load(_ name: String) throws(PlatformFailure) {
        do {
            try engine.evaluate(try resources.text(name), sourceName: name)
        } catch let error as JSError {
            throw PlatformFailure(script: name, reason: "\(error)", stack: error.stack)
        } catch {
            throw PlatformFailure(script: name, reason: "\(error)")
        }
    }

    /// Calls `done` once the core has answered and `w3n` is there.
    func whenConnected(_ done: @escaping (PlatformFailure?) -> Void) throws(PlatformFailure) {
        let connected = engine.makeFunction { _ in
            done(nil)
            return nil
        }
        let failed = engine.makeFunction { arguments in
            done(Self.connectionFailure(JSError(arguments[0])))
            return nil
        }
        do {
            // In one call: a rejection must not be unhandled for a moment.
            let connect = try engine.evaluate(
                "(connected, failed) => { _awaitPreloadInit().then(connected, failed) }", sourceName: "js/boot")
            try engine.call(connect, [connected, failed])
        } catch {
            throw Self.connectionFailure(error)
        }
    }

    private static func connectionFailure(_ error: JSError) -> PlatformFailure {
        PlatformFailure(script: "_awaitPreloadInit", reason: "\(error)", stack: error.stack)
    }

    /// Runs a compiled component.
    ///
    /// The engine does not tell whether a promise is rejected already, so two reactions are queued right after the first
    /// part of the code has run: when the one on the code's promise comes first, that part threw.
    ///
    /// - Parameters:
    ///   - suspended: the code has run up to its first suspension, or its end.
    ///   - finished: it has run to its end.
    ///   - failed: it threw in its first part (`.error`) or later (`.rejection`).
    func run(
        _ function: JSValue, suspended: @escaping () -> Void, finished: @escaping () -> Void,
        failed: @escaping (UncaughtKind, JSValue, _ promise: JSValue) -> Void
    ) throws(JSError) {
        let start = try engine.evaluate(
            """
            (run, suspended, finished, failed) => {
                const { apply } = Reflect, { then } = Promise.prototype, now = Promise.resolve();
                let first = true;
                const done = run();
                apply(then, done, [finished, error => failed(error, first, done)]);
                apply(then, now, [() => { first = false; suspended(); }]);
            }
            """, sourceName: "js/boot")
        let onSuspension = engine.makeFunction { _ in
            suspended()
            return nil
        }
        let onEnd = engine.makeFunction { _ in
            finished()
            return nil
        }
        let onFailure = engine.makeFunction { arguments in
            failed(arguments[1].boolean == true ? .error : .rejection, arguments[0], arguments[2])
            return nil
        }
        try engine.call(start, [function, onSuspension, onEnd, onFailure])
    }

    /// Takes a turn in JavaScript, for its own sake.
    func takeTurn() throws(JSError) { try engine.call(noop.value, []) }

    /// Sends from JavaScript are refused, what waits for the core is rejected; what was sent before still leaves.
    func disconnect() {
        port.close()
        lists.close()
    }
}
