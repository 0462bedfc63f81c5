internal import EventLoop
internal import Wire

/// One direction of a data pipe with a fault in it: bytes in, the same bytes out later, slower or otherwise.
final class FaultyLine {
    /// Bytes that wait here before its user should hold back.
    static let highWater = 1 << 20

    let fault: PortFault
    private let loop: Loop
    private let timer: Timer
    private var mangler: FrameMangler
    private var random: UInt64
    private var waiting: [(due: UInt64, bytes: [UInt8])] = []
    private(set) var waitingBytes = 0
    private var lastDue: UInt64 = 0
    /// Gives bytes on, in order.
    private let emit: ([UInt8]) -> Void
    /// The direction ends behind what was given on last.
    private let cut: () -> Void
    private var hasCut = false

    init(
        _ fault: PortFault, passing: Int, on loop: Loop, emit: @escaping ([UInt8]) -> Void, cut: @escaping () -> Void
    ) {
        self.fault = fault
        self.loop = loop
        self.emit = emit
        self.cut = cut
        timer = Timer(on: loop)
        mangler = FrameMangler(fault.kind, passing: passing, seed: fault.seed)
        random = fault.seed | 1
    }

    func take(_ bytes: [UInt8]) {
        switch fault.kind {
        case .delay(let delay, let jitter):
            put(bytes, due: max(lastDue, loop.now + nanoseconds(delay) + draw(nanoseconds(jitter))))
        case .bandwidth(let rate):
            // Pieces of a twentieth of a second.
            let size = max(1, rate / 20)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                put(piece, due: max(lastDue, loop.now) + UInt64(piece.count) * 1_000_000_000 / UInt64(rate))
            }
        case .cut, .corrupt, .repetition, .swap:
            let out = mangler.take(bytes[...])
            if !out.isEmpty { emit(out) }
            if mangler.endsHere, !hasCut {
                hasCut = true
                cut()
            }
        case .close, .deafness: emit(bytes)
        }
    }

    /// Gives on at once what is left, as it came; nothing is taken afterwards.
    func finish() {
        timer.close()
        let rest = waiting.flatMap(\.bytes) + mangler.flush()
        waiting = []
        waitingBytes = 0
        if !rest.isEmpty, !hasCut { emit(rest) }
    }

    /// Without giving anything on.
    func drop() {
        timer.close()
        waiting = []
    }

    private func put(_ bytes: [UInt8], due: UInt64) {
        lastDue = due
        waiting.append((due, bytes))
        waitingBytes += bytes.count
        if waiting.count == 1 { arm() }
    }

    private func arm() {
        guard let next = waiting.first else { return }
        let now = loop.now
        timer.start(afterMilliseconds: next.due > now ? (next.due - now + 999_999) / 1_000_000 : 0) { [unowned self] in
            giveOn()
        }
    }

    private func giveOn() {
        let now = loop.now
        let count = waiting.prefix { $0.due <= now }.count
        let bytes = waiting.prefix(count).flatMap(\.bytes)
        waiting.removeFirst(count)
        waitingBytes -= bytes.count
        arm()
        if !bytes.isEmpty { emit(bytes) }
    }

    private func nanoseconds(_ duration: Duration) -> UInt64 { UInt64(max(0, duration / .nanoseconds(1))) }

    private func draw(_ most: UInt64) -> UInt64 {
        guard most > 0 else { return 0 }
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random % (most + 1)
    }
}

extension FaultyLine {
    var isFull: Bool { waitingBytes >= Self.highWater }

    func take(_ header: FrameHeader, _ body: UnsafeRawBufferPointer) {
        take(
            [UInt8](unsafeUninitializedCapacity: FrameHeader.size + body.count) { target, count in
                let target = UnsafeMutableRawBufferPointer(target)
                if let base = target.baseAddress { header.write(to: base) }
                target[FrameHeader.size...].copyBytes(from: body)
                count = FrameHeader.size + body.count
            })
    }
}
