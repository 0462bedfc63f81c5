public import EventLoop
internal import Glibc

/// Listens at a control socket and hands requests to a service. Lives on the loop's thread.
public final class ControlServer {
    public let path: String
    private let loop: Loop
    private let limits: ControlLimits
    private let peerOf: (Int32) -> Peer?
    private var file: ControlSocketFile
    private var watch: SocketWatch?
    /// Why the socket could not be made again, told once.
    private var renewalFailure: ControlSocketError?
    private weak var service: (any ControlService)?
    private var listener: Listener?
    private var connections: [ObjectIdentifier: ControlConnection] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    /// - Parameters:
    ///   - path: the socket; its folder is made if only that is missing. A stale socket there is replaced.
    ///   - service: not retained.
    ///   - peerOf: who is at the other end of a descriptor; the kernel is asked unless a test says otherwise.
    /// - Throws: `ControlSocketError`.
    public init(
        loop: Loop, path: String, service: any ControlService, limits: ControlLimits = ControlLimits(),
        peerOf: ((Int32) -> Peer?)? = nil
    ) throws(ControlSocketError) {
        let (file, descriptor) = try ControlSocketFile.bind(at: path)
        self.loop = loop
        self.path = path
        self.service = service
        self.limits = limits
        self.peerOf = peerOf ?? { UnixSocket.peer(of: $0) }
        self.file = file
        listener = try listen(file, descriptor)
        watchFolder()
    }

    private func listen(_ file: ControlSocketFile, _ descriptor: Int32) throws(ControlSocketError) -> Listener {
        do throws(UVError) {
            return try Listener(
                takingOwnershipOf: descriptor, on: loop,
                accepted: { [weak self] pipe in
                    guard let self else { return pipe.close() }
                    accept(pipe)
                },
                acceptFailed: { [weak self] error in
                    self?.report("a connection to the control socket could not be taken: \(error)", caller: nil)
                })
        } catch {
            file.remove()
            throw ControlSocketError(path: path, reason: .os(errno: error.errno, call: error.function))
        }
    }

    // MARK: The file

    /// Why clients do not find the socket, in words; nil when they do.
    public var fileProblem: String? { file.problem }

    /// Makes the socket anew if it was removed. Connections that are open go on.
    public func renewIfGone() {
        guard let old = listener, file.isGone else { return }
        do throws(ControlSocketError) {
            let (file, descriptor) = try ControlSocketFile.bind(at: path)
            listener = try listen(file, descriptor)
            self.file = file
            old.close()
            renewalFailure = nil
            watchFolder()
            report("the control socket was gone and is made anew", caller: nil)
        } catch {
            if error != renewalFailure {
                report("the control socket is gone and cannot be made anew: \(error)", caller: nil)
            }
            renewalFailure = error
        }
    }

    private func watchFolder() {
        watch?.close()
        watch = SocketWatch(folder: file.folder, on: loop) { [weak self] in self?.renewIfGone() }
    }

    deinit { buffer.deallocate() }

    public var clientCount: Int { connections.count }

    /// Ends every stream, sends what clients take at once, closes all connections, removes the socket. Idempotent.
    public func close() {
        guard let listener else { return }
        self.listener = nil
        watch?.close()
        watch = nil
        listener.close()
        file.remove()
        for connection in connections.values { connection.finish() }
    }

    func serve(_ request: ControlRequest, id: JSONValue?, from connection: ControlConnection, caller: Peer) {
        let began = loop.now
        let command = request.changes ? ProcessName.of(caller.pid) : ""
        let audit = { [weak self] (outcome: AuditEntry.Outcome) in
            guard request.changes, let self else { return }
            let took = Duration.nanoseconds(Int64(loop.now - began))
            service?.audit(
                AuditEntry(caller: caller, command: command, request: request, outcome: outcome, took: took))
        }
        audit(.asked)
        let pending = PendingReply(id: id, request: request, connection: connection, settled: audit)
        connection.register(pending)
        let exchange = ControlExchange(pending, caller: caller)
        guard let service else { return exchange.fail(ControlError(.refused, "the supervisor is closing")) }
        service.handle(request, exchange)
    }

    func forget(_ connection: ControlConnection) { connections[ObjectIdentifier(connection)] = nil }

    func report(_ text: String, caller: Peer?) { service?.report(text, caller: caller) }

    private func accept(_ pipe: Pipe) {
        guard let caller = peerOf(pipe.descriptor) else {
            turnAway(pipe, nil, "the kernel does not say who you are")
            return
        }
        guard caller.uid == geteuid() || caller.uid == 0 else {
            turnAway(pipe, caller, "this supervisor belongs to uid \(geteuid()), you are uid \(caller.uid)")
            return
        }
        guard connections.count < limits.maxClients else {
            turnAway(pipe, caller, "\(limits.maxClients) clients are connected already; close one")
            return
        }
        let connection = ControlConnection(pipe, on: loop, caller: caller, limits: limits, server: self)
        connections[ObjectIdentifier(connection)] = connection
        do throws(UVError) {
            try connection.start(buffer: buffer)
        } catch {
            connection.close()
            report("a connection to the control socket could not be read: \(error)", caller: caller)
        }
    }

    private func turnAway(_ pipe: Pipe, _ caller: Peer?, _ reason: String) {
        report("a client was turned away: \(reason)", caller: caller)
        var line = JSONWriter.text(RPCMessage.error(id: .null, ControlError(.refused, reason))) + "\n"
        line.withUTF8 { pipe.output.append(UnsafeRawBufferPointer($0)) }
        pipe.output.flush()
        pipe.close()
    }
}
