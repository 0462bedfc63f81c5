public import JSEngine

/// The ports of a component's context, besides those of every context.
public enum ComponentPorts {
    public static let listCoreObjPath = PortSignature(
        "ipc_listCoreObjPath", [.init("path", .texts)], gives: "promise of names, or of null",
        throws: "`ipc`: `ipcNotConnected`", "Names of the members of the core's object at a path.")
    public static let disconnectFromCore = PortSignature(
        "ipc_disconnectFromCore", gives: "nothing",
        "The component is done: what it sent is delivered, then its process ends with 0.")

    public static let status = PortSignature(
        "host_status", [.init("text", .text)], gives: "nothing",
        "Shows what the component does, in `ps` and `inspect`: the first 256 bytes, once a second at most.")
    public static let extendStart = PortSignature(
        "host_extendStart", [.init("millis", .number(1...3_600_000))], gives: "nothing",
        "The component is not ready before it says so (`host_ready`) or its text has run to its end, and asks for so long."
    )
    public static let ready = PortSignature("host_ready", gives: "nothing", "The component is ready.")

    public static let group = PortGroup(
        "Components", [listCoreObjPath, disconnectFromCore, status, extendStart, ready])
}
