internal import EventLoop

/// How a WebSocket ended.
public struct WebSocketEnd: Equatable, Sendable {
    /// That of the server's close frame, or of ours where the server broke the rules; `WebSocketCode.abnormal` where
    /// there was none.
    public let code: Int
    public let reason: String
    /// What was wrong, in words; nil where a close frame of the server ended it.
    public let problem: String?
}

public enum WebSocketEvent: Equatable, Sendable {
    /// A text message, valid UTF-8.
    case text([UInt8])
    /// The server sent a ping, which is answered.
    case ping
    /// The server answered a ping that was sent so long ago.
    case pong(after: Duration)
    /// A ping is due, and so many before it were not answered.
    case missedPongs(Int)
    /// All that waited has left, after `send` had given false.
    case drained
    /// The last event.
    case ended(WebSocketEnd)
}

/// An open WebSocket, the client's side.
///
/// 1. Nothing is read before `start`. Events come one by one, at most 64 messages per turn of the loop.
/// 2. A ping leaves every `pingInterval`. When two were not answered and the third is due, the connection ends.
/// 3. What breaks the rules of RFC 6455, is binary, too long or no UTF-8 ends it with the code for that.
/// 4. After its end, the last frame gets two seconds to leave and to be read.
public final class WebSocket {
    /// Above this many queued bytes a sender is told to hold back.
    public static let highWater = 65536
    /// Above this many, nothing more is accepted.
    public static let queueLimit = 64 << 20
    private static let lingerLimit = Duration.seconds(2)
    private static let mostMissedPongs = 2
    private static let messagesPerTurn = 64
    private static let bytesPerTurn = 1 << 20
    private static let piece = 16384

    private enum Phase {
        case idle, open
        /// Our close frame is on its way, the server's has not come.
        case closing
        /// The end was told.
        case lingering, gone
    }

    private let loop: Loop
    private let stream: WebSocketStream
    private let pingInterval: Duration
    private let closeLimit: Duration
    private let pings: Timer
    /// Of the closing handshake, then of lingering.
    private let endTimer: Timer
    private var decoder: WebSocketDecoder
    private var output = WebSocketOutput()
    private var phase = Phase.idle
    private var receive: ((WebSocketEvent) -> Void)?
    /// Called once, when nothing of it is left.
    var hasLeft: (() -> Void)?
    private var flushIsPlanned = false
    private var wasAboveMark = false
    private var cannotWrite = false
    private var serverHasClosed = false
    private var continuesNextTurn = false
    /// The server's last ping that was not answered yet: older ones need no answer.
    private var pingToAnswer: [UInt8]?
    private var lastPing: UInt64 = 0
    private var answeredPing: UInt64 = 0
    private var pingTimes: [UInt64: UInt64] = [:]

    init(_ request: WebSocketRequest, over stream: WebSocketStream, received: [UInt8], on loop: Loop) {
        self.loop = loop
        self.stream = stream
        pingInterval = request.pingInterval
        closeLimit = request.closeLimit
        pings = Timer(on: loop)
        pings.unreference()
        endTimer = Timer(on: loop)
        endTimer.unreference()
        decoder = WebSocketDecoder(messageLimit: request.messageLimit)
        received.withUnsafeBytes { decoder.take($0) }
        stream.readable = { [weak self] in self?.read() }
        stream.writable = { [weak self] in self?.flush() }
    }

    /// Begins to read and to send pings. `receive` is never called before this returns.
    public func start(_ receive: @escaping (WebSocketEvent) -> Void) {
        precondition(phase == .idle, "a WebSocket was started twice")
        self.receive = receive
        phase = .open
        armPings()
        // What came with the handshake's reply.
        continueNextTurn()
    }

    // MARK: Sending

    public var queuedBytes: Int { output.queuedBytes }

    public var isOpen: Bool { phase == .open }

    /// Queues a text message; `bytes` must be UTF-8, and not more than fit below `queueLimit`. False means: hold back
    /// until `drained`.
    public func send(text bytes: UnsafeRawBufferPointer) -> Bool {
        guard phase == .open else { return true }
        output.append(.text, bytes)
        planFlush()
        wasAboveMark = wasAboveMark || output.queuedBytes > Self.highWater
        return output.queuedBytes <= Self.highWater
    }

    private func planFlush() {
        guard !flushIsPlanned else { return }
        flushIsPlanned = true
        loop.atEndOfTurn { [weak self] in
            self?.flushIsPlanned = false
            self?.flush()
        }
    }

    private func flush() {
        guard phase != .gone, !cannotWrite else { return }
        if let ping = pingToAnswer, phase == .open, output.queuedBytes <= Self.highWater {
            pingToAnswer = nil
            output.append(.pong, ping)
        }
        do throws(GLibError) {
            try output.write(most: Self.bytesPerTurn) { bytes throws(GLibError) in try stream.write(bytes) }
        } catch {
            // No news: the same end is read, after what had arrived.
            cannotWrite = true
            output.dropAll()
        }
        stream.wantsOutput = !output.isEmpty
        guard output.isEmpty else { return }
        if phase == .lingering, serverHasClosed || cannotWrite { leave() }
        if wasAboveMark, phase == .open {
            wasAboveMark = false
            receive?(.drained)
        }
    }

    // MARK: Pings

    private func armPings() { pings.start(after: pingInterval) { [weak self] in self?.pingIsDue() } }

    private func pingIsDue() {
        guard phase == .open else { return }
        let missed = Int(lastPing - answeredPing)
        guard missed < Self.mostMissedPongs else {
            let words = "the server answered none of \(missed) pings"
            endOurselves(WebSocketEnd(code: WebSocketCode.abnormal, reason: "", problem: words), WebSocketCode.policy)
            return
        }
        lastPing += 1
        pingTimes[lastPing] = loop.now
        output.append(.ping, withUnsafeBytes(of: lastPing.bigEndian, Array.init))
        planFlush()
        armPings()
        if missed > 0 { receive?(.missedPongs(missed)) }
    }

    private func answered(_ payload: [UInt8]) {
        // What answers no ping of ours is allowed, and says nothing.
        let number = payload.count == 8 ? payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : 0
        guard number > answeredPing, let sent = pingTimes[number] else { return }
        answeredPing = number
        pingTimes = pingTimes.filter { $0.key > number }
        receive?(.pong(after: .nanoseconds(Int64(loop.now - sent))))
    }

    // MARK: Receiving

    private func read() {
        var total = 0
        while total < Self.bytesPerTurn, phase != .gone, !continuesNextTurn {
            let count: Int?
            do throws(GLibError) {
                count = try readPiece()
            } catch {
                streamEnded("the connection broke: \(error.message)")
                return
            }
            guard let count else { return }
            guard count > 0 else {
                streamEnded("the server ended the connection without a close frame")
                return
            }
            total += count
            deliver()
        }
    }

    private func readPiece() throws(GLibError) -> Int? {
        try withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 8) { piece throws(GLibError) in
            let count = try stream.read(into: piece)
            if let count, phase != .lingering { decoder.take(UnsafeRawBufferPointer(rebasing: piece[..<count])) }
            return count
        }
    }

    private func deliver() {
        var messages = 0
        do throws(WebSocketViolation) {
            while phase == .open || phase == .closing, let incoming = try decoder.next() {
                take(incoming)
                messages += 1
                guard messages < Self.messagesPerTurn else {
                    continueNextTurn()
                    return
                }
            }
        } catch {
            endOurselves(
                WebSocketEnd(code: error.code, reason: "", problem: "the server sent \(error.words)"), error.code)
        }
    }

    private func continueNextTurn() {
        continuesNextTurn = true
        stream.wantsInput = false
        loop.atNextTurn { [weak self] in
            guard let self, phase != .gone else { return }
            continuesNextTurn = false
            stream.wantsInput = true
            deliver()
        }
    }

    private func take(_ incoming: WebSocketIncoming) {
        switch incoming {
        case .text(let text): if phase == .open { receive?(.text(text)) }
        case .ping(let payload):
            pingToAnswer = payload
            planFlush()
            if phase == .open { receive?(.ping) }
        case .pong(let payload): if phase == .open { answered(payload) }
        case .close(let code, let reason):
            serverHasClosed = true
            if phase == .open {
                output.dropUnseen()
                output.append(.close, Self.closePayload(code, ""))
            }
            end(WebSocketEnd(code: code, reason: reason, problem: nil), lingers: true)
        }
    }

    // MARK: The end

    /// Starts the closing handshake; `ended` comes when the server has answered, or after `closeLimit`.
    ///
    /// - Parameters:
    ///   - code: one of those that `WebSocketCode.isSendable`.
    ///   - reason: of at most `WebSocketCode.longestReason` bytes.
    public func close(code: Int, reason: String) {
        guard phase == .open else { return }
        phase = .closing
        pings.stop()
        output.append(.close, Self.closePayload(code, reason))
        planFlush()
        endTimer.start(after: closeLimit) { [weak self] in
            guard let self else { return }
            let words = "the server did not answer our close frame within \(closeLimit)"
            end(WebSocketEnd(code: WebSocketCode.abnormal, reason: "", problem: words), lingers: false)
        }
    }

    /// Ends it at once, without an event. The server is told that we go away, if there is room for that.
    public func abandon() {
        guard phase != .gone else { return }
        if phase == .idle || phase == .open {
            output.dropUnseen()
            output.append(.close, Self.closePayload(WebSocketCode.goingAway, ""))
        }
        receive = nil
        flush()
        leave()
    }

    /// We end it: what waits is dropped, a close frame goes.
    private func endOurselves(_ end: WebSocketEnd, _ code: Int) {
        if phase == .open {
            output.dropUnseen()
            output.append(.close, Self.closePayload(code, ""))
        }
        self.end(end, lingers: true)
    }

    /// As if the way to the server had ended.
    func loseServer() { streamEnded("the network is gone") }

    private func streamEnded(_ words: String) {
        guard phase != .lingering else {
            leave()
            return
        }
        end(WebSocketEnd(code: WebSocketCode.abnormal, reason: "", problem: words), lingers: false)
    }

    private func end(_ end: WebSocketEnd, lingers: Bool) {
        guard phase == .open || phase == .closing else { return }
        let receive = self.receive
        self.receive = nil
        pings.stop()
        if lingers {
            phase = .lingering
            endTimer.start(after: Self.lingerLimit) { [weak self] in self?.leave() }
            flush()
        } else {
            leave()
        }
        receive?(.ended(end))
    }

    private func leave() {
        guard phase != .gone else { return }
        phase = .gone
        output.dropAll()
        stream.close()
        pings.close()
        endTimer.close()
        let hasLeft = self.hasLeft
        self.hasLeft = nil
        hasLeft?()
    }

    private static func closePayload(_ code: Int, _ reason: String) -> [UInt8] {
        guard code != WebSocketCode.none else { return [] }
        return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason.utf8
    }

    /// Whether `bytes` can be a text message.
    public static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool { WebSocketText.isUTF8(bytes) }
}
