/// A WebSocket to be opened.
public struct WebSocketRequest: Sendable {
    public static let schemes = ["ws", "wss"]
    public static let usualPingInterval = Duration.seconds(30)
    /// Bytes of a message, in both directions.
    public static let messageLimit = 16 << 20

    public let address: WebAddress
    /// Sent as `X-Session-Id`.
    public var sessionId: String?
    public var pingInterval = WebSocketRequest.usualPingInterval
    /// From the look-up of the host to the end of the opening handshake.
    public var openLimit = Duration.seconds(30)
    /// From our close frame to the server's.
    public var closeLimit = Duration.seconds(5)
    public var messageLimit = WebSocketRequest.messageLimit

    public init(_ address: WebAddress) { self.address = address }
}

extension WebAddress {
    private var usualPort: Int { isSecure ? 443 : 80 }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// As the header `Host` has it.
    var authority: String { port == usualPort ? bracketedHost : "\(bracketedHost):\(port)" }

    /// Path and query, as a request's first line has them.
    var target: String {
        let rest = text.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// Of the server, in the scheme that proxies are chosen by.
    var connectAddress: String { "\(isSecure ? "https" : "http")://\(bracketedHost):\(port)" }
}
