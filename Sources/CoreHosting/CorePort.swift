internal import EventLoop
internal import Glibc
internal import JSEngine
internal import PortBridge
internal import Supervision
internal import Wire

/// The core's side of one component: its port `c-<connectorId>` over its data pipe, until the pipe has ended.
final class CorePort {
    let connectorId: String
    private let host: CoreHost
    private var pipe: DataPipe?
    private var port: JSPort?
    private var dropped = 0
    private var bytesRead = 0
    private let generation: UInt64
    private let frameLimit: UInt32
    private let queue: QueuePolicy
    private let changed: () -> Void
    private let ended: (PortEnd) -> Void
    private let gone: () -> Void
    private var state = State.open

    private enum State { case open, closed }

    /// - Parameters:
    ///   - changed: traffic has changed.
    ///   - ended: once, after the core has been told that the component is closed.
    ///   - gone: once, when the other end of the pipe is closed too: nothing more happens here.
    init(
        connectorId: String, generation: UInt64, frameLimit: UInt32, queue: QueuePolicy, host: CoreHost,
        changed: @escaping () -> Void, ended: @escaping (PortEnd) -> Void, gone: @escaping () -> Void
    ) {
        self.connectorId = connectorId
        self.host = host
        self.generation = generation
        self.frameLimit = frameLimit
        self.queue = queue
        self.changed = changed
        self.ended = ended
        self.gone = gone
    }

    /// Makes a socket pair and attaches the port to the core's connector.
    ///
    /// - Returns: the child's end of the pipe, the caller's from now on.
    func open() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw UVError(-errno, in: "socketpair")
        }
        for end in ends { Self.widen(end) }
        do {
            let pipe = try DataPipe(
                takingOwnershipOf: ends[0], generation: UInt16(truncatingIfNeeded: generation), limit: frameLimit,
                queue: DataPipe.QueueBounds(highWater: queue.highWater, limit: queue.limit), on: host.engine.loop,
                onFrame: { [unowned self] in received($0, $1) },
                onEnd: { [unowned self] in pipeEnded($0) })
            pipe.drained = { [unowned self, unowned pipe] in
                pipe.release()
                changed()
            }
            self.pipe = pipe
            port = JSPort(name: "c-\(connectorId)", on: host.engine, over: pipe)
            try host.attachComponentPort(connectorId: connectorId, openCalls: queue.openCalls)
        } catch {
            port?.close()
            pipe?.close()
            Glibc.close(ends[1])
            throw error
        }
        return ends[1]
    }

    /// Bytes that the kernel may hold per direction; it doubles them for its own bookkeeping and cuts what is over the
    /// machine's limit (socket(7), `SO_SNDBUF`). A message of 1 MiB then takes few turns of both sides.
    private static let kernelBuffer: Int32 = 512 * 1024

    private static func widen(_ socket: Int32) {
        var size = kernelBuffer
        // Refused or cut, the pipe works all the same.
        _ = setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    var queuedBytes: Int { pipe?.queuedBytes ?? 0 }

    var traffic: PortTraffic {
        var traffic = PortTraffic()
        if let pipe {
            traffic.framesIn = pipe.traffic.framesIn
            traffic.framesOut = pipe.traffic.framesOut
            traffic.bytesIn = pipe.traffic.bytesIn
            traffic.bytesOut = pipe.traffic.bytesOut
            let waiting = pipe.waiting
            traffic.queued = waiting.now
            traffic.mostQueued = waiting.most
            traffic.blockedNanoseconds = waiting.blockedNanoseconds
        }
        traffic.bytesRead = bytesRead
        traffic.dropped = dropped + (port?.dropped ?? 0)
        return traffic
    }

    /// How far the component has read: known where nothing is left in its socket. Of a process that is gone the kernel says
    /// that too, so it is not asked then.
    func lookAtReading() {
        guard state == .open, let pipe, pipe.unreadBytes == 0 else { return }
        bytesRead = pipe.traffic.bytesOut - pipe.waiting.now
    }

    /// - Returns: why not, in words; nil: it is in force.
    func inject(_ fault: PortFault) -> String? {
        guard state == .open, let pipe else { return "its port is closed" }
        return pipe.inject(fault)
    }

    func undoFault(_ number: Int) { pipe?.undo(number) }

    /// Headers that have crossed last, oldest first.
    var lastFrames: [FrameNote] {
        (pipe?.lastHeaders ?? []).map { header in
            FrameNote(
                isFromComponent: header.isIncoming, kind: "\(header.kind)", length: header.length,
                sequence: header.sequence, time: Int64(header.milliseconds) * 1_000_000)
        }
    }

    private func received(_ kind: FrameKind, _ body: consuming FrameBody) {
        changed()
        guard state == .open else {
            dropped += 1
            // It was told to stop and says bye: nothing is owed any more, let it go.
            if kind == .bye { pipe?.send(.byeAcknowledged) }
            return
        }
        switch kind {
        case .envelope:
            port?.deliver(body)
            holdBackIfUnread()
        case .listRequest:
            answer(body)
        case .bye:
            finish(.bye, cause: "closed itself")
            pipe?.send(.byeAcknowledged)
        case .listReply, .byeAcknowledged:
            violated("a frame of kind \(kind.rawValue), which only the core may send")
        }
    }

    /// Answers to a component that does not read them stay bounded: its next calls wait in its own pipe.
    private func holdBackIfUnread() {
        if let pipe, pipe.queuedBytes >= pipe.queue.highWater { pipe.holdBack() }
    }

    private func answer(_ body: consuming FrameBody) {
        do {
            let request = try ListRequest(decoding: body.bytes)
            let names = try host.listObjPath(connectorId: connectorId, path: request.path)
            pipe?.send(.listReply, ListReply(call: request.call, names: names).encoded())
            holdBackIfUnread()
        } catch {
            violated("\(error)")
        }
    }

    private func pipeEnded(_ end: DataPipe.End) {
        switch end {
        case .endOfFile(let partial):
            finish(.endOfFile(partialFrame: partial?.received ?? 0), cause: "died")
        case .violation(let error): finish(.violation("\(error)"), cause: "broke the protocol")
        case .failed(let error): finish(.violation("its pipe failed: \(error)"), cause: "lost its pipe")
        }
        closePipe()
    }

    private func closePipe() {
        guard let pipe, !pipe.isClosed else { return }
        pipe.close()
        host.engine.loop.atEndOfTurn { [gone] in gone() }
    }

    /// The component has sent what no component may send. The core is told after this turn: it may be in the middle of
    /// the message.
    func violated(_ how: String) {
        guard state == .open else { return }
        pipe?.holdBack()
        host.engine.loop.atEndOfTurn { [self] in
            guard state == .open else { return }
            finish(.violation(how), cause: "broke the protocol")
            closePipe()
        }
    }

    /// Closes the port in the core now. The pipe stays, to take and drop what a process that is being stopped still
    /// writes, until that process is gone.
    func close(cause: String) {
        finish(.byPlatform, cause: cause)
        // What was held back is dropped now, up to the pipe's end: a process that never reads has one, too.
        pipe?.release()
    }

    /// The process is gone: what it had written is handled, then the core is told.
    func drain() { pipe?.drain() }

    /// The plane ends.
    func abandon() {
        state = .closed
        port?.close()
        pipe?.close()
    }

    private func finish(_ end: PortEnd, cause: String) {
        guard state == .open else { return }
        state = .closed
        port?.close()
        do {
            try host.componentClosed(connectorId: connectorId, cause: cause)
        } catch {
            host.engine.report(.error, host.engine.makeError("closing connector \(connectorId): \(error)"))
        }
        ended(end)
    }
}
