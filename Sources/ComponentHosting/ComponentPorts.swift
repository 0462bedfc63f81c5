public import JSEngine

/// The ports of a component's context, besides those of every context.
public enum ComponentPorts {
    public static let listCoreObjPath = PortSignature(
        "ipc_listCoreObjPath", [.init("path", .texts)], gives: "promise of names, or of null",
        throws: "`ipc`: `ipcNotConnected`", "Names of the members of the core's object at a path.")
    public static let disconnectFromCore = PortSignature(
        "ipc_disconnectFromCore", gives: "nothing",
        "The component is done: what it sent is delivered, then its process ends with 0.")

    public static let group = PortGroup("Components", [listCoreObjPath, disconnectFromCore])
}
