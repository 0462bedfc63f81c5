internal import CUV
internal import Glibc

/// What a pipe still has to write. All that is queued in one turn of the loop leaves in one system call at the turn's end;
/// what the kernel does not take waits, without polling, until it does.
public final class OutputQueue {
    /// Payloads of at least this size are written from where they are; smaller ones are copied beside their neighbours.
    public static let copyBelow = 16 * 1024

    private enum Chunk {
        /// Bytes of ours, gathered: freed when written.
        case gathered(UnsafeMutableRawPointer, count: Int, capacity: Int)
        /// Bytes of somebody else's, who is told when they are no longer needed.
        case lent(UnsafeRawBufferPointer, release: () -> Void)

        var bytes: UnsafeRawBufferPointer {
            switch self {
            case .gathered(let pointer, let count, _): UnsafeRawBufferPointer(start: pointer, count: count)
            case .lent(let bytes, _): bytes
            }
        }

        func release() {
            switch self {
            case .gathered(let pointer, _, _): free(pointer)
            case .lent(_, let release): release()
            }
        }
    }

    private let loop: Loop
    private var stream: UnsafeMutablePointer<uv_stream_t>?
    private var chunks: [Chunk] = []
    private var written = 0
    private var flushPlanned = false
    private var inFlight: Flight?
    /// Bytes accepted and not yet taken by the kernel.
    public private(set) var queuedBytes = 0 {
        didSet { mostQueuedBytes = max(mostQueuedBytes, queuedBytes) }
    }
    public private(set) var mostQueuedBytes = 0
    private var abandonedBytes = 0
    /// Bytes that wait now or, once the pipe is closed or has failed, had not left by then.
    public var unsentBytes: Int { stream == nil ? abandonedBytes : queuedBytes }
    private var blockedBefore: UInt64 = 0
    /// Time in which the kernel took no more.
    public var blockedNanoseconds: UInt64 { blockedBefore + (inFlight.map { uv_hrtime() - $0.began } ?? 0) }
    /// Called whenever the queue has become empty.
    public var drained: (() -> Void)?
    /// Called once when writing has failed for good; what is queued has been dropped.
    public var failed: ((UVError) -> Void)?

    /// One outstanding `uv_write`; holds its queue until libuv is done with it, as the chunks' memory must stay.
    private final class Flight {
        let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
        let queue: OutputQueue
        let chunks: [Chunk]
        /// Of the first chunk, before this flight.
        let written: Int
        let bytes: Int
        let began = uv_hrtime()

        init(_ queue: OutputQueue, _ chunks: [Chunk], written: Int) {
            self.queue = queue
            self.chunks = chunks
            self.written = written
            bytes = chunks.reduce(-written) { $0 + $1.bytes.count }
        }

        deinit { request.deallocate() }
    }

    init(on loop: Loop) { self.loop = loop }

    func attach(to stream: UnsafeMutablePointer<uv_stream_t>) { self.stream = stream }

    /// Copies `bytes` into the queue.
    public func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        withRoom(for: bytes.count) { $0.copyMemory(from: base, byteCount: bytes.count) }
    }

    /// Room for `count` bytes at the queue's end, to be filled by `fill` at once.
    @inline(__always)
    public func withRoom(for count: Int, _ fill: (UnsafeMutableRawPointer) -> Void) {
        guard stream != nil else { return }
        if case .gathered(let pointer, let used, let capacity)? = chunks.last, used + count <= capacity {
            fill(pointer + used)
            chunks[chunks.count - 1] = .gathered(pointer, count: used + count, capacity: capacity)
        } else {
            let capacity = max(count, 4096, min(queuedBytes, 64 * 1024))
            guard let pointer = malloc(capacity) else { fatalError("out of memory for \(capacity) bytes of output") }
            fill(pointer)
            chunks.append(.gathered(pointer, count: count, capacity: capacity))
        }
        queuedBytes += count
        planFlush()
    }

    /// Queues `bytes` without copying; `release` is called, on the loop's thread, when they are no longer needed.
    public func append(lending bytes: UnsafeRawBufferPointer, release: @escaping () -> Void) {
        guard stream != nil else {
            release()
            return
        }
        chunks.append(.lent(bytes, release: release))
        queuedBytes += bytes.count
        planFlush()
    }

    private func planFlush() {
        guard !flushPlanned else { return }
        flushPlanned = true
        loop.atEndOfTurn { [self] in
            flushPlanned = false
            flush()
        }
    }

    /// Writes now instead of at the end of the turn, as far as the kernel takes it.
    public func flush() {
        guard let stream, inFlight == nil, !chunks.isEmpty else { return }
        let taken = withBuffers { uv_try_write(stream, $0, $1) }
        if taken >= 0 {
            advance(by: Int(taken))
            guard !chunks.isEmpty else {
                drained?()
                return
            }
        } else if taken != UV_EAGAIN.rawValue {
            fail(UVError(taken, in: "write"))
            return
        }
        launch(on: stream)
    }

    /// Writes everything, waiting for the kernel to take it for at most `milliseconds`; says whether all was taken. For a
    /// process that ends right after it: the queue and its loop must not be used any more.
    public func flushBeforeExit(milliseconds: Int) -> Bool {
        guard let stream else { return queuedBytes == 0 }
        var descriptor: Int32 = -1
        guard uv_fileno(UnsafeMutableRawPointer(stream).assumingMemoryBound(to: uv_handle_t.self), &descriptor) == 0
        else { return false }
        let deadline = uv_hrtime() + UInt64(milliseconds) * 1_000_000
        if let inFlight {
            var skipped = inFlight.bytes - uv_stream_get_write_queue_size(stream)
            for (index, chunk) in inFlight.chunks.enumerated() {
                let bytes = UnsafeRawBufferPointer(rebasing: chunk.bytes[(index == 0 ? inFlight.written : 0)...])
                let left = bytes.dropFirst(skipped)
                skipped -= bytes.count - left.count
                guard Self.write(UnsafeRawBufferPointer(rebasing: left), to: descriptor, until: deadline) else {
                    return false
                }
            }
        }
        for (index, chunk) in chunks.enumerated() {
            let bytes = index == 0 ? UnsafeRawBufferPointer(rebasing: chunk.bytes[written...]) : chunk.bytes
            guard Self.write(bytes, to: descriptor, until: deadline) else { return false }
        }
        return true
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, until deadline: UInt64) -> Bool {
        var rest = bytes[...]
        while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, base, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                let now = uv_hrtime()
                guard now < deadline else { return false }
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&writable, 1, Int32((deadline - now) / 1_000_000) + 1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    private func launch(on stream: UnsafeMutablePointer<uv_stream_t>) {
        let flight = Flight(self, chunks, written: written)
        flight.request.pointee.data = Unmanaged.passRetained(flight).toOpaque()
        let code = withBuffers { buffers, count in
            uv_write(flight.request, stream, buffers, count) { request, status in
                guard let data = request?.pointee.data else { return }
                let flight = Unmanaged<Flight>.fromOpaque(data).takeRetainedValue()
                flight.queue.landed(flight, status)
            }
        }
        guard code == 0 else {
            Unmanaged.passUnretained(flight).release()
            fail(UVError(code, in: "uv_write"))
            return
        }
        chunks = []
        written = 0
        inFlight = flight
    }

    private func landed(_ flight: Flight, _ status: Int32) {
        inFlight = nil
        queuedBytes -= flight.bytes
        blockedBefore += uv_hrtime() - flight.began
        for chunk in flight.chunks { chunk.release() }
        guard stream != nil else { return }
        if status != 0 {
            fail(UVError(status, in: "write"))
        } else if chunks.isEmpty {
            drained?()
        } else {
            flush()
        }
    }

    private func withBuffers<Result>(_ body: (UnsafeMutablePointer<uv_buf_t>, UInt32) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: chunks.count) { buffers in
            for (index, chunk) in chunks.enumerated() {
                let bytes = index == 0 ? UnsafeRawBufferPointer(rebasing: chunk.bytes[written...]) : chunk.bytes
                let base = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
                buffers.initializeElement(at: index, to: uv_buf_t(base: base, len: bytes.count))
            }
            guard let base = buffers.baseAddress else { preconditionFailure("nothing to write") }
            return body(base, UInt32(chunks.count))
        }
    }

    private func advance(by count: Int) {
        queuedBytes -= count
        written += count
        var done = 0
        while done < chunks.count, written >= chunks[done].bytes.count {
            written -= chunks[done].bytes.count
            chunks[done].release()
            done += 1
        }
        chunks.removeFirst(done)
    }

    private func fail(_ error: UVError) {
        detach()
        let failed = self.failed
        self.failed = nil
        failed?(error)
    }

    func detach() {
        if stream != nil { abandonedBytes = queuedBytes }
        stream = nil
        for chunk in chunks { chunk.release() }
        chunks = []
        written = 0
        queuedBytes = inFlight?.bytes ?? 0
        drained = nil
    }
}
