/// What is wrong with the network on purpose.
public enum NetworkFault: Sendable, Equatable {
    /// No way leads anywhere; WebSockets that are open lose their server.
    case gone
    /// Requests are answered with this status, without a body, and do not leave.
    case status(Int)
    /// Requests leave so much later.
    case delay(Duration)
}
