internal import JSEngine

/// The port `ws_open` as declared; the ports `ws_#<socketId>` are in `docs/architecture.md`, "WebSockets".
enum WebSocketPorts {
    static let open = PortSignature(
        "ws_open",
        [
            .init("url", .word), .init("sessionId", .word, isOptional: true),
            .init("pingMillis", .whole(10...2_147_483_647), isOptional: true),
        ],
        gives: "promise of `{status, socketId}`", throws: "`connect`, `http-request`, `websocket`: `tooManySockets`",
        """
        Opens a WebSocket (`ws`, `wss`), whose port is `ws_#<socketId>`. A server that refuses the upgrade gives its \
        status and no `socketId`. A ping leaves every `pingMillis`, 30000 by default.
        """)
    static let group = PortGroup("WebSocket", [open])
}
