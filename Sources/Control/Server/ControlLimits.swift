/// Bounds of the control server.
public struct ControlLimits: Sendable {
    public var maxLineBytes = 1 << 20
    public var maxClients = 64
    /// Bytes that wait for a client to read; with more, the next line ends the connection.
    public var maxUnsentBytes = 4 << 20
    public var maxRequestsPerSecond = 200
    /// Requests of one client that are not answered yet, and streams that are open.
    public var maxPendingRequests = 64

    public init() {}
}
