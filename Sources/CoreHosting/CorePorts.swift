public import JSEngine

/// The core's ports besides those of files, as declared: components, the user interface, assets, connectivity.
enum CorePorts {
    private static let connectorId = PortSignature.Parameter("connectorId", .word)
    private static let component: [PortSignature.Parameter] = [
        connectorId, .init("appDomain", .word), .init("entrypoint", .word),
        .init("instance", .whole(0...PortSignature.Kind.largest), isOptional: true),
    ]
    private static let fromPacks = PortSignature.Parameter("fromPacks", .flag)
    private static let path = PortSignature.Parameter("path", .path)
    private static let offset = PortSignature.Kind.whole(0...PortSignature.Kind.largest)

    static let startComponent = PortSignature(
        "js_startComponent", component, gives: "promise of nothing",
        throws: "`component`: `waiting`, `quarantined`, `stopped`, `alreadyStarted`, `startFailed`",
        "Starts a headless component; resolves when it is ready.")
    static let protocolError = PortSignature(
        "component_protocolError", [connectorId, .init("message", .text)], gives: "nothing",
        "That connector's component sent what no component may send: it is killed.")
    static let queuedBytes = PortSignature(
        "port_queuedBytes", [connectorId], gives: "a number",
        "Bytes that the port `c-<connectorId>` holds for a component that has not read them.")
    static let catalogChanged = PortSignature(
        "component_catalogChanged", gives: "nothing",
        "The components are others than before: the native side asks for `listComponents`.")
    static let components = PortGroup(
        "Components", [startComponent, protocolError, queuedBytes, catalogChanged])

    static let startAppActivity = PortSignature(
        "ui_startAppActivity", component, gives: "nothing", "Opens a GUI component; headless: an event.")
    static let closeAppActivity = PortSignature(
        "ui_closeAppActivity", [connectorId], gives: "nothing",
        "Closes that connector's component; `init` is the first screen.")
    static let focusAppActivity = PortSignature(
        "ui_focusAppActivity", [connectorId], gives: "nothing", "Raises its window; headless: an event.")
    static let showSystemErrorBox = PortSignature(
        "ui_showSystemErrorBox", [.init("title", .text), .init("content", .text)], gives: "nothing",
        "Shown to the user; headless: an event and an error line in the log.")
    static let exitAll = PortSignature(
        "ui_exitAll", gives: "nothing", "Closes every component, then the platform.")
    static let logout = PortSignature(
        "platform_logout", [.init("closePlatform", .flag)], gives: "nothing",
        "Logs the user out, then ends the platform if `closePlatform`: every component is closed first.")
    static let scanUrlQr = PortSignature(
        "scan_url_qr", gives: "promise of a URL", throws: "`scan-url-qr`: `notAvailable`",
        "Shows the camera until it sees a QR code with a URL. There is no window for that yet: rejects, and is an event."
    )
    static let userInterface = PortGroup(
        "User interface",
        [
            startAppActivity, closeAppActivity, focusAppActivity, showSystemErrorBox, exitAll, logout,
            ExternalOpener.signature, scanUrlQr,
        ])

    static let readAsset = PortSignature(
        "assets_readBytes",
        [
            fromPacks, path, .init("start", offset, isOptional: true), .init("end", offset, isOptional: true),
        ], gives: "promise of `Uint8Array`", throws: "`file`",
        "Bytes of a file in the bundled apps or packs; `end` past the file's end means its end.")
    static let listAssets = PortSignature(
        "assets_listFolder", [fromPacks, path], gives: "promise of `[{name, isFolder, size, problem?}]`",
        throws: "`file`",
        "What is in a folder of the bundled apps or packs, by name; `problem` tells why a link cannot be followed.")
    static let assets = PortGroup("Assets", [readAsset, listAssets])

    static let isOnline = PortSignature(
        "connectivity_isOnline", gives: "`network-present` or `no-network`", "Whether there is a network.")
    static let network = PortGroup("Network", [isOnline])
}

/// Every port of the core's context.
public enum CorePortGroups {
    public static let all = [
        CorePorts.components, CorePorts.userInterface, CorePorts.assets, CorePorts.network, NetworkPorts.group,
        WebSocketPorts.group, FilePorts.group, KeystorePorts.group, CryptorPorts.group, AutoStartupPorts.group,
    ]
}
