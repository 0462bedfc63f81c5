public import EventLoop
internal import Glibc
public import JSEngine
public import Wire

/// One end of a component's data pipe: frames in and out, on the loop of the plane that owns it.
///
/// At most `turnFrames` frames or `turnBytes` bytes are handed over per turn of the loop, and none after `turnTime`, so that
/// no component can keep the others waiting; what is left comes in the next turns.
public final class DataPipe {
    /// Why nothing more comes.
    public enum End: Equatable {
        /// The other side closed or died, possibly in the middle of a frame.
        case endOfFile(FrameDecoder.PartialFrame?)
        case violation(FrameError)
        case failed(UVError)
    }

    /// Frames and bytes (headers included) that have crossed.
    public struct Traffic: Equatable, Sendable {
        public var framesIn = 0
        public var framesOut = 0
        public var bytesIn = 0
        public var bytesOut = 0
    }

    static let turnFrames = 64
    static let turnBytes = 1 << 20
    /// Nanoseconds that what is handed over may take.
    static let turnTime: UInt64 = 200_000
    /// Queued bytes above which a writer is told to hold back, and above which nothing more is accepted.
    public struct QueueBounds: Equatable, Sendable {
        public let highWater: Int
        public let limit: Int

        public init(highWater: Int = 1 << 20, limit: Int = 256 << 20) {
            self.highWater = highWater
            self.limit = limit
        }
    }

    /// Bytes that a body may have, in both directions.
    public let limit: Int
    public let queue: QueueBounds
    private let loop: Loop
    private let pipe: Pipe
    private let decoder: FrameDecoder
    private var encoder: FrameEncoder
    private let onFrame: (FrameKind, consuming FrameBody) -> Void
    private let onEnd: (End) -> Void
    private var ended = false
    private var heldBack = false
    private var continuing = false
    public private(set) var traffic = Traffic()
    private let ring = HeaderRing()
    // Faults that were injected on purpose.
    private var incomingFault: FaultyLine?
    private var outgoingFault: FaultyLine?
    /// Bytes that a fault has given on and the decoder has not taken.
    private var fed: ArraySlice<UInt8> = []
    private var isDraining = false
    /// Where bytes are read while there are such, or were a moment ago.
    private var faultBuffer: UnsafeMutableRawBufferPointer?
    private var isDeaf = false
    private var deafness = 0

    /// Takes ownership of `descriptor`, also when this throws.
    ///
    /// - Parameters:
    ///   - onFrame: each frame, in order.
    ///   - onEnd: once, after the last frame; the pipe is still to be closed.
    public init(
        takingOwnershipOf descriptor: Int32, generation: UInt16, limit: UInt32, queue: QueueBounds = QueueBounds(),
        on loop: Loop,
        onFrame: @escaping (FrameKind, consuming FrameBody) -> Void, onEnd: @escaping (End) -> Void
    ) throws(UVError) {
        self.limit = Int(limit)
        self.queue = queue
        self.loop = loop
        self.onFrame = onFrame
        self.onEnd = onEnd
        decoder = FrameDecoder(generation: generation, limit: limit)
        encoder = FrameEncoder(generation: generation)
        pipe = try Pipe(takingOwnershipOf: descriptor, on: loop)
        // A failed write is not news: the same death ends the reading, after what had arrived.
        try pipe.read(
            into: { [unowned self] in faultBuffer ?? decoder.nextBuffer() },
            received: { [unowned self] in received($0) },
            ended: { [unowned self] in finish($0) })
    }

    public var queuedBytes: Int { pipe.output.queuedBytes + (outgoingFault?.waitingBytes ?? 0) }
    public var isClosed: Bool { pipe.isClosed }

    /// Bytes that wait now, or had not left when the pipe closed; the most that waited; how long the kernel took no more.
    public var waiting: (now: Int, most: Int, blockedNanoseconds: UInt64) {
        let output = pipe.output
        return (output.unsentBytes, output.mostQueuedBytes, output.blockedNanoseconds)
    }

    /// Bytes that the kernel holds for the other side, which has not read them; nil where it does not tell (tcp(7), SIOCOUTQ).
    public var unreadBytes: Int? {
        var count: Int32 = 0
        return ioctl(pipe.descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
    }

    /// Called whenever everything queued has left.
    public var drained: (() -> Void)? {
        get { pipe.output.drained }
        set { pipe.output.drained = newValue }
    }

    // MARK: Writing

    /// Queues a frame with a copy of `body`.
    public func send(_ kind: FrameKind, copying body: UnsafeRawBufferPointer) {
        let header = encoder.header(kind, length: body.count)
        count(out: header)
        if let outgoingFault { return outgoingFault.take(header, body) }
        pipe.output.withRoom(for: FrameHeader.size + body.count) { target in
            header.write(to: target)
            if let base = body.baseAddress { memcpy(target + FrameHeader.size, base, body.count) }
        }
    }

    public func send(_ kind: FrameKind, _ body: [UInt8] = []) { body.withUnsafeBytes { send(kind, copying: $0) } }

    /// Queues an envelope with the bytes of `value`, a typed array. Large ones are not copied: `value` is kept until they
    /// are written, and must not be changed by then.
    public func send(envelope value: JSValue, bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= OutputQueue.copyBelow else {
            send(.envelope, copying: bytes)
            return
        }
        let header = encoder.header(.envelope, length: bytes.count)
        count(out: header)
        if let outgoingFault { return outgoingFault.take(header, bytes) }
        pipe.output.withRoom(for: FrameHeader.size) { header.write(to: $0) }
        var keep: JSReference? = JSReference(value)
        pipe.output.append(lending: bytes) {
            withExtendedLifetime(keep) {}
            keep = nil
        }
    }

    /// Writes what is queued before the process ends, waiting at most `milliseconds`; the pipe must not be used after it.
    @discardableResult
    public func flushBeforeExit(milliseconds: Int) -> Bool { pipe.output.flushBeforeExit(milliseconds: milliseconds) }

    private func count(out header: FrameHeader) {
        ring.noteOutgoing(traffic.framesOut, header, loop.turnMilliseconds)
        traffic.framesOut += 1
        traffic.bytesOut += FrameHeader.size + Int(header.length)
    }

    /// Oldest first, at most 16 of each direction.
    public var lastHeaders: [CrossedHeader] {
        ring.headers(incoming: traffic.framesIn, outgoing: traffic.framesOut)
    }

    // MARK: Reading

    private func received(_ count: Int) {
        traffic.bytesIn += count
        if let faultBuffer {
            takeThroughFault(Array(faultBuffer[..<count]))
            return
        }
        decoder.received(count)
        deliver()
    }

    /// Hands over what this turn may still hand over.
    private func deliver() {
        var frames = 0
        var bytes = 0
        let end = loop.now + Self.turnTime
        do {
            while !pipe.isClosed, !isHeld, let frame = try decoder.next() {
                frames += 1
                bytes += Int(frame.header.length)
                hand(over: frame)
                guard frames < Self.turnFrames, bytes < Self.turnBytes, loop.now < end else {
                    continueNextTurn()
                    return
                }
            }
            try resumeIfWanted()
        } catch let error as FrameError {
            self.end(.violation(error))
        } catch let error as UVError {
            self.end(.failed(error))
        } catch {
            preconditionFailure("an error of no known kind: \(error)")
        }
    }

    private func hand(over frame: consuming Frame) {
        ring.noteIncoming(traffic.framesIn, frame.header, loop.turnMilliseconds)
        traffic.framesIn += 1
        let kind = frame.kind
        onFrame(kind, frame.takeBody())
    }

    private func continueNextTurn() {
        guard !continuing, !pipe.isClosed else { return }
        continuing = true
        pipe.pauseReading()
        loop.atNextTurn { [self] in
            continuing = false
            guard !ended, !pipe.isClosed else { return }
            deliver()
            giveFedBytes()
        }
    }

    private var isHeld: Bool { heldBack || isDeaf }

    private func resumeIfWanted() throws(UVError) {
        guard !ended, !isHeld, !continuing, fed.isEmpty, incomingFault?.isFull != true else { return }
        try pipe.resumeReading()
    }

    /// Leaves what comes in the kernel, so that the other side feels it.
    public func holdBack() {
        heldBack = true
        pipe.pauseReading()
    }

    public func release() {
        heldBack = false
        goOn()
    }

    private func goOn() {
        guard !continuing, !ended, !pipe.isClosed else { return }
        deliver()
        giveFedBytes()
    }

    /// The other side's process is gone: hands over at once all that it had written, whatever the turn's bounds and
    /// whoever else may hold its end open, and ends.
    public func drain() {
        guard !ended, !pipe.isClosed else { return }
        pipe.pauseReading()
        do {
            try takeAllFromFault()
            while true {
                while !pipe.isClosed, let frame = try decoder.next() { hand(over: frame) }
                guard !pipe.isClosed else { return }
                let buffer = decoder.nextBuffer()
                let count = read(pipe.descriptor, buffer.baseAddress, buffer.count)
                if count > 0 {
                    traffic.bytesIn += count
                    decoder.received(count)
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
        } catch {
            end(.violation(error))
            return
        }
        end(.endOfFile(decoder.partialFrame))
    }

    private func finish(_ end: Pipe.End) {
        // Frames held over from earlier turns were handed over before reading went on; a fault may still have some.
        do {
            try takeAllFromFault()
        } catch {
            return self.end(.violation(error))
        }
        switch end {
        case .endOfFile: self.end(.endOfFile(decoder.partialFrame))
        case .failed(let error): self.end(.failed(error))
        }
    }

    private func end(_ end: End) {
        guard !ended, !pipe.isClosed else { return }
        ended = true
        pipe.pauseReading()
        onEnd(end)
    }

    /// Idempotent; what is queued and not yet with the kernel is dropped.
    public func close() {
        incomingFault?.drop()
        outgoingFault?.drop()
        pipe.close()
        faultBuffer?.deallocate()
        faultBuffer = nil
    }

    // MARK: Faults on purpose

    /// - Returns: why not, in words; nil: it is in force.
    public func inject(_ fault: PortFault) -> String? {
        guard !ended, !pipe.isClosed else { return "its connection has ended" }
        switch (fault.kind, fault.direction) {
        case (.close, _):
            // Fails only where the other side has closed all of it already.
            shutdown(pipe.descriptor, Int32(fault.direction == .incoming ? SHUT_RD : SHUT_WR))
        case (.deafness, .incoming):
            guard !isDeaf else { return "it is not read from already" }
            isDeaf = true
            deafness = fault.number
            pipe.pauseReading()
        case (.deafness, .outgoing): return "the other end reads by itself"
        case (_, .incoming):
            guard incomingFault == nil else { return "another fault has this direction" }
            let partial = decoder.partialFrame
            guard partial == nil || partial?.header != nil else { return "a header is on its way; try again" }
            let left = partial.map { FrameHeader.size + Int($0.header?.length ?? 0) - $0.received } ?? 0
            faultBuffer = faultBuffer ?? .allocate(byteCount: FrameDecoder.chunkSize, alignment: 1)
            incomingFault = FaultyLine(
                fault, passing: left, on: loop, emit: { [unowned self] in feed($0) },
                cut: { [unowned self] in cutIncoming() })
        case (_, .outgoing):
            guard outgoingFault == nil else { return "another fault has this direction" }
            outgoingFault = FaultyLine(
                fault, passing: 0, on: loop,
                emit: { [unowned self] bytes in bytes.withUnsafeBytes { pipe.output.append($0) } },
                cut: { [unowned self] in
                    pipe.output.flush()
                    shutdown(pipe.descriptor, Int32(SHUT_WR))
                })
        }
        return nil
    }

    /// What it has kept back goes on at once.
    public func undo(_ number: Int) {
        if isDeaf, deafness == number {
            isDeaf = false
            goOn()
        }
        if let line = outgoingFault, line.fault.number == number {
            outgoingFault = nil
            line.finish()
        }
        if let line = incomingFault, line.fault.number == number {
            incomingFault = nil
            line.finish()
            giveFedBytes()
        }
    }

    private func takeThroughFault(_ bytes: [UInt8]) {
        guard let incomingFault else { return feed(bytes) }
        incomingFault.take(bytes)
        if incomingFault.isFull { pipe.pauseReading() }
    }

    private func feed(_ bytes: [UInt8]) {
        fed += bytes
        if !isDraining { giveFedBytes() }
    }

    private func giveFedBytes() {
        while !fed.isEmpty, !ended, !pipe.isClosed, !isHeld, !continuing {
            takeFedBytes()
            deliver()
        }
        guard fed.isEmpty, !ended, !pipe.isClosed else { return }
        if incomingFault == nil, !continuing, !isHeld, faultBuffer != nil {
            faultBuffer?.deallocate()
            faultBuffer = nil
        }
        do throws(UVError) {
            try resumeIfWanted()
        } catch {
            end(.failed(error))
        }
    }

    private func takeFedBytes() {
        let buffer = decoder.nextBuffer()
        let count = min(buffer.count, fed.count)
        buffer.copyBytes(from: fed.prefix(count))
        fed = fed.dropFirst(count)
        decoder.received(count)
    }

    /// At the end of the direction: whatever a turn may hand over, and whoever holds back.
    private func takeAllFromFault() throws(FrameError) {
        guard faultBuffer != nil else { return }
        isDraining = true
        defer { isDraining = false }
        let line = incomingFault
        incomingFault = nil
        line?.finish()
        while true {
            while !pipe.isClosed, let frame = try decoder.next() { hand(over: frame) }
            guard !pipe.isClosed, !fed.isEmpty else { return }
            takeFedBytes()
        }
    }

    private func cutIncoming() {
        guard !ended, !pipe.isClosed else { return }
        do throws(FrameError) {
            try takeAllFromFault()
            end(.endOfFile(decoder.partialFrame))
        } catch {
            end(.violation(error))
        }
    }
}
