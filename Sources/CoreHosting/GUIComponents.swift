internal import Supervision

/// A component with a window, as the core plane holds it. There is no process that shows windows here: the handle stands for
/// its connector, and what a window would do is told as an event.
final class GUIComponentHandle {
    let connectorId: String
    let id: ComponentID
    private(set) var isActive = false
    private(set) var isConnected = true
    private let closed: (GUIComponentHandle) -> Void

    fileprivate init(connectorId: String, id: ComponentID, closed: @escaping (GUIComponentHandle) -> Void) {
        self.connectorId = connectorId
        self.id = id
        self.closed = closed
    }

    /// Its window is shown, or hidden.
    func setActive(_ isActive: Bool) { self.isActive = isActive && isConnected }

    /// Its window has been closed. Harmless when repeated.
    func disconnect() {
        guard isConnected else { return }
        isConnected = false
        isActive = false
        closed(self)
    }

    /// The core closes it.
    func closeActivity() { disconnect() }
}

/// The handles of one session, and how they come to be.
final class GUIComponents {
    /// The core's answer to a launch while a login is under way: there is nothing to show but the launcher, later.
    static let proceedToLauncher = "proceed-to-launcher"

    private var handles: [String: GUIComponentHandle] = [:]
    private let launchApp: (String) throws -> (connectorId: String, entrypoint: String)
    private let opened: (GUIComponentHandle) -> Void
    private let closed: (GUIComponentHandle) -> Void

    /// - Parameters:
    ///   - launchApp: asks the core for the connector and entry point of an app's page.
    ///   - opened: a new handle is there. `closed`: it has been disconnected.
    init(
        launchApp: @escaping (String) throws -> (connectorId: String, entrypoint: String),
        opened: @escaping (GUIComponentHandle) -> Void, closed: @escaping (GUIComponentHandle) -> Void
    ) {
        self.launchApp = launchApp
        self.opened = opened
        self.closed = closed
    }

    var count: Int { handles.count }

    subscript(connectorId: String) -> GUIComponentHandle? { handles[connectorId] }

    /// A known connector's handle; else the core is asked to launch the app, unless the caller knows connector and entry
    /// point. Nil: a login is under way, and the launcher is next.
    func getOrCreateGUIComponent(
        appDomain: String, connectorId: String? = nil, entrypoint: String? = nil
    ) throws -> GUIComponentHandle? {
        if let connectorId, let handle = handles[connectorId] { return handle }
        let (connector, entry): (String, String)
        if let connectorId, let entrypoint {
            (connector, entry) = (connectorId, entrypoint)
        } else {
            (connector, entry) = try launchApp(appDomain)
        }
        if connector == Self.proceedToLauncher { return nil }
        if let handle = handles[connector] { return handle }
        let handle = GUIComponentHandle(
            connectorId: connector, id: ComponentID(appDomain: appDomain, entrypoint: entry)
        ) { [unowned self] handle in
            handles[handle.connectorId] = nil
            closed(handle)
        }
        handles[connector] = handle
        opened(handle)
        return handle
    }

    func closeAll() { for handle in Array(handles.values) { handle.closeActivity() } }
}
