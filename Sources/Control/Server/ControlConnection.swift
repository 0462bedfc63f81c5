internal import EventLoop
internal import Secrets

/// One client of the server.
final class ControlConnection {
    private let pipe: Pipe
    private let loop: Loop
    private let limits: ControlLimits
    private let caller: Peer
    private weak var server: ControlServer?
    private var framing: Framing
    private var rate: RateLimit
    private var pending: [ObjectIdentifier: PendingReply] = [:]
    private var isClosed = false

    init(_ pipe: Pipe, on loop: Loop, caller: Peer, limits: ControlLimits, server: ControlServer) {
        self.pipe = pipe
        self.loop = loop
        self.caller = caller
        self.limits = limits
        self.server = server
        framing = Framing(maxBytes: limits.maxLineBytes)
        rate = RateLimit(perSecond: limits.maxRequestsPerSecond, now: loop.now)
    }

    /// `buffer` is shared by all connections: its bytes are consumed before the next read.
    func start(buffer: UnsafeMutableRawBufferPointer) throws(UVError) {
        pipe.output.failed = { [weak self] _ in self?.close() }
        pipe.output.drained = { [weak self] in self?.drained() }
        try pipe.read(
            into: { buffer },
            received: { [weak self] count in
                self?.received(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                // There may have been a password in it.
                Secret.overwrite(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            },
            ended: { [weak self] _ in self?.close() })
    }

    func send(_ message: JSONValue) {
        guard !isClosed else { return }
        // Looked at before the line is added, so that one large reply to a client that reads is no offence.
        if pipe.output.queuedBytes > limits.maxUnsentBytes {
            // Closed first: the report may be a line of the very log that this client follows.
            let server = server
            close()
            server?.report("a client that does not read its answers was put out", caller: caller)
            return
        }
        var line = JSONWriter.text(message) + "\n"
        line.withUTF8 { pipe.output.append(UnsafeRawBufferPointer($0)) }
    }

    var unsentBytes: Int { pipe.output.queuedBytes }

    private func drained() {
        for reply in Array(pending.values) { reply.onDrained?() }
    }

    func forget(_ reply: PendingReply) { pending[ObjectIdentifier(reply)] = nil }

    /// Answers what waits, ends what streams, closes.
    func finish() {
        for reply in pending.values {
            reply.fail(ControlError(.refused, "the supervisor is closing"))
            reply.end()
        }
        close()
    }

    /// Sends what the socket takes at once and closes. Idempotent.
    func close() {
        guard !isClosed else { return }
        pipe.output.flush()
        guard !isClosed else { return }  // a failed flush came here already
        isClosed = true
        pipe.close()
        server?.forget(self)
        let abandoned = pending.values
        pending = [:]
        for reply in abandoned { reply.abandon() }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        do {
            try framing.append(bytes) { line in
                serve(line)
                line.withUnsafeMutableBytes { Secret.overwrite($0) }
                return !isClosed
            }
        } catch {
            refuse(
                .null,
                ControlError(
                    code: ControlError.invalidRequest, message: "a line may have \(error.maxBytes) bytes at most"))
            close()
        }
    }

    private func serve(_ line: [UInt8]) {
        let call: RPCMessage.Call
        do throws(RPCMessage.Refusal) {
            call = try RPCMessage.parse(line)
        } catch {
            refuse(error.id, error.error)
            return
        }
        guard rate.take(now: loop.now) else {
            let text = "more than \(limits.maxRequestsPerSecond) requests in a second; wait and ask again"
            refuse(call.id, ControlError(.refused, text))
            return
        }
        guard pending.count < limits.maxPendingRequests else {
            let text = "\(limits.maxPendingRequests) requests of this client wait for their answers; wait for one"
            refuse(call.id, ControlError(.refused, text))
            return
        }
        server?.serve(call.request, id: call.id, from: self, caller: caller)
    }

    func register(_ reply: PendingReply) { pending[ObjectIdentifier(reply)] = reply }

    private func refuse(_ id: JSONValue?, _ error: ControlError) {
        if let id { send(RPCMessage.error(id: id, error)) }
    }
}
