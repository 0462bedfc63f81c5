/// What stands behind the control socket. Everything happens on the loop's thread.
public protocol ControlService: AnyObject {
    /// Serves one request: now or later it calls `reply` or `fail` on the exchange, once. An exchange that is let go
    /// without that answers with an error.
    func handle(_ request: ControlRequest, _ exchange: ControlExchange)

    /// Called for each request that changes something: when it comes, and again with what became of it.
    func audit(_ entry: AuditEntry)

    /// Something that whoever runs the supervisor should know: a client was refused or put out, a connection could not
    /// be taken. `caller` nil = not known.
    func report(_ text: String, caller: Peer?)
}
