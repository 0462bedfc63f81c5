internal import JSEngine
internal import Networking
internal import Supervision

/// The core's ports that reach the platform: starting and closing components, the user interface, connectivity.
struct CoreInjectedFns {
    let connectivity: ConnectivityMonitor
    /// Not retained: the session owns the engine that holds these.
    unowned let session: CoreSession

    func registerAll(on engine: JSEngineHost) {
        engine.registerPort(CorePorts.startComponent, jsStartComponentFn)
        registerUserInterface(on: engine)
        let connectivity = self.connectivity
        engine.registerPort(CorePorts.isOnline) { arguments in
            arguments.engine.string(CoreHost.state(isOnline: connectivity.isOnline))
        }
        engine.registerPort(CorePorts.protocolError) { [unowned session] arguments in
            let connectorId = try arguments.text(0)
            session.protocolError(connectorId: connectorId, try arguments.text(1))
            return nil
        }
        engine.registerPort(CorePorts.catalogChanged) { [unowned session] _ in
            session.catalogChanged()
            return nil
        }
        engine.registerPort(CorePorts.queuedBytes) { [unowned session] arguments in
            let connectorId = try arguments.text(0)
            return arguments.engine.number(Double(session.queuedBytes(connectorId: connectorId)))
        }
    }

    private func jsStartComponentFn(_ arguments: PortArguments) throws -> JSValue? {
        let connectorId = try arguments.text(0)
        let id = try componentID(arguments)
        return try session.startDenoComponent(connectorId: connectorId, id: id)
    }

    private func registerUserInterface(on engine: JSEngineHost) {
        engine.registerPort(CorePorts.startAppActivity) { arguments in
            let connectorId = try arguments.text(0)
            let id = try componentID(arguments)
            session.report(.startActivity(connector: connectorId, id))
            return nil
        }
        engine.registerPort(CorePorts.closeAppActivity) { [unowned session] arguments in
            session.close(connectorId: try arguments.text(0))
            return nil
        }
        engine.registerPort(CorePorts.focusAppActivity) { [unowned session] arguments in
            let connectorId = try arguments.text(0)
            session.report(.focusActivity(connector: connectorId))
            return nil
        }
        engine.registerPort(CorePorts.showSystemErrorBox) { [unowned session] arguments in
            let title = try arguments.text(0)
            let content = try arguments.text(1)
            session.report(.systemErrorBox(title: title, content: content))
            return nil
        }
        ExternalOpener.register(on: engine)
        engine.registerPort(CorePorts.scanUrlQr) { [unowned session] arguments in
            session.report(.scanUrlQr)
            let promise = arguments.engine.makePromise()
            promise.reject(
                RuntimeException(
                    type: "scan-url-qr",
                    [
                        "notAvailable": .flag(true),
                        "message": .text("no window can show the camera here; give the URL as text"),
                    ]))
            return promise.value
        }
        engine.registerPort(CorePorts.logout) { [unowned session] arguments in
            session.report(.logout(closePlatform: arguments.flag(0)))
            return nil
        }
        engine.registerPort(CorePorts.exitAll) { [unowned session] _ in
            session.report(.exitAll)
            return nil
        }
    }

    private func componentID(_ arguments: PortArguments) throws -> ComponentID {
        ComponentID(
            appDomain: try arguments.text(1), entrypoint: try arguments.text(2),
            instance: arguments.optionalWhole(3) ?? 0)
    }
}
