internal import JSEngine
internal import Supervision

/// The core's ports that reach the platform: starting and closing components, the user interface, connectivity.
struct CoreInjectedFns {
    let connectivity: ConnectivityMonitor
    /// Not retained: the session owns the engine that holds these.
    unowned let session: CoreSession

    func registerAll(on engine: JSEngineHost) {
        engine.registerPort("js_startComponent", jsStartComponentFn)
        registerUserInterface(on: engine)
        let connectivity = self.connectivity
        engine.registerPort("connectivity_isOnline") { arguments in
            arguments.engine.string(connectivity.isOnline ? "network-present" : "no-network")
        }
        engine.registerPort("component_protocolError") { [unowned session] arguments in
            let connectorId = try arguments.text(0, of: "component_protocolError", "connectorId")
            session.protocolError(connectorId: connectorId, arguments[1].text ?? "no reason given")
            return nil
        }
        engine.registerPort("port_queuedBytes") { [unowned session] arguments in
            let connectorId = try arguments.text(0, of: "port_queuedBytes", "connectorId")
            return arguments.engine.number(Double(session.queuedBytes(connectorId: connectorId)))
        }
    }

    private func jsStartComponentFn(_ arguments: JSArguments) throws -> JSValue? {
        let port = "js_startComponent"
        let connectorId = try arguments.text(0, of: port, "connectorId")
        let id = try componentID(arguments, from: 1, of: port)
        return try session.startDenoComponent(connectorId: connectorId, id: id)
    }

    private func registerUserInterface(on engine: JSEngineHost) {
        engine.registerPort("ui_startAppActivity") { arguments in
            let connectorId = try arguments.text(0, of: "ui_startAppActivity", "connectorId")
            let id = try componentID(arguments, from: 1, of: "ui_startAppActivity")
            session.report(.startActivity(connector: connectorId, id))
            return nil
        }
        engine.registerPort("ui_closeAppActivity") { [unowned session] arguments in
            session.close(connectorId: try arguments.text(0, of: "ui_closeAppActivity", "connectorId"))
            return nil
        }
        engine.registerPort("ui_focusAppActivity") { [unowned session] arguments in
            let connectorId = try arguments.text(0, of: "ui_focusAppActivity", "connectorId")
            session.report(.focusActivity(connector: connectorId))
            return nil
        }
        engine.registerPort("ui_showSystemErrorBox") { [unowned session] arguments in
            let title = try arguments.text(0, of: "ui_showSystemErrorBox", "title")
            let content = try arguments.text(1, of: "ui_showSystemErrorBox", "content")
            session.report(.systemErrorBox(title: title, content: content))
            return nil
        }
        engine.registerPort("ui_exitAll") { [unowned session] _ in
            session.report(.exitAll)
            return nil
        }
    }

    private func componentID(_ arguments: JSArguments, from index: Int, of port: String) throws -> ComponentID {
        let instance = arguments[index + 2]
        guard instance.isUndefined || (instance.integer.map { $0 >= 0 } ?? false) else {
            throw RuntimeException.badArgument(
                port: port, "instance must be a whole number from 0, not \(instance.text ?? "that")")
        }
        return ComponentID(
            appDomain: try arguments.text(index, of: port, "appDomain"),
            entrypoint: try arguments.text(index + 1, of: port, "entrypoint"), instance: instance.integer ?? 0)
    }
}

extension JSArguments {
    /// The argument at `index`, which must be a string that is not empty.
    func text(_ index: Int, of port: String, _ name: String) throws -> String {
        guard let text = self[index].string, !text.isEmpty else {
            throw RuntimeException.badArgument(
                port: port, "\(name) must be a string that is not empty, not \(self[index].json ?? "undefined")")
        }
        return text
    }
}
