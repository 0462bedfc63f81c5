/// What came from a server as a whole.
enum WebSocketIncoming: Equatable {
    /// Valid UTF-8.
    case text([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// The code is `WebSocketCode.none` where the frame has none.
    case close(code: Int, reason: String)
}

/// What no server may send, and the code to close with.
struct WebSocketViolation: Error, Equatable {
    let code: Int
    let words: String

    static func protocolError(_ words: String) -> WebSocketViolation {
        WebSocketViolation(code: WebSocketCode.protocolError, words: words)
    }
}

/// Takes a server's bytes in pieces of any size and gives the messages in them, one after the other.
///
/// No memory is taken for what a header only announces, beyond a mebibyte, and none at all for a message over the limit.
struct WebSocketDecoder {
    private struct Frame {
        let opcode: WebSocketFrame.Opcode
        let isLast: Bool
        var remaining: Int
    }

    /// Bytes of a message, over all of its frames.
    private let messageLimit: Int
    private var input: [UInt8] = []
    private var position = 0
    /// Of a frame whose header is not yet complete.
    private var header: [UInt8] = []
    private var frame: Frame?
    private var message: [UInt8]?
    private var control: [UInt8] = []

    init(messageLimit: Int) { self.messageLimit = messageLimit }

    /// True when `next()` can give nothing before more is taken in.
    var needsMore: Bool { position == input.count }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        if needsMore {
            input.removeAll(keepingCapacity: true)
            position = 0
        }
        input.append(contentsOf: bytes)
    }

    /// The next whole message or control frame; nil when more bytes are needed for one.
    mutating func next() throws(WebSocketViolation) -> WebSocketIncoming? {
        while true {
            if frame == nil {
                guard try readHeader() else { return nil }
            }
            guard let frame = readPayload() else { return nil }
            if let incoming = try finish(frame) { return incoming }
        }
    }

    // MARK: Header

    /// False when it is not complete.
    private mutating func readHeader() throws(WebSocketViolation) -> Bool {
        var wanted = 2
        while true {
            while header.count < wanted {
                guard position < input.count else { return false }
                header.append(input[position])
                position += 1
            }
            if wanted > 2 || header[1] & 0x7f < 126 { break }
            wanted = header[1] & 0x7f == 126 ? 4 : 10
        }
        let frame = try parse()
        header.removeAll(keepingCapacity: true)
        self.frame = frame
        return true
    }

    private func parse() throws(WebSocketViolation) -> Frame {
        guard header[0] & 0x70 == 0 else { throw .protocolError("a frame with reserved bits set") }
        guard header[1] & 0x80 == 0 else { throw .protocolError("a masked frame of a server") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: header[0] & 0x0f) else {
            throw .protocolError("a frame with the opcode \(header[0] & 0x0f)")
        }
        let isLast = header[0] & 0x80 != 0
        let length = try self.length()
        if opcode.isControl {
            guard isLast, length <= WebSocketFrame.longestControlPayload else {
                throw .protocolError("a control frame that is fragmented or longer than 125 bytes")
            }
        } else {
            try checkMessage(opcode, length)
        }
        return Frame(opcode: opcode, isLast: isLast, remaining: length)
    }

    private func length() throws(WebSocketViolation) -> Int {
        guard header.count > 2 else { return Int(header[1]) }
        guard header.count == 4 || header[2] & 0x80 == 0 else {
            throw .protocolError("a frame length of more than 63 bits")
        }
        let length = header.dropFirst(2).reduce(0) { $0 << 8 | Int($1) }
        guard length > (header.count == 4 ? 125 : 0xffff) else {
            throw .protocolError("a frame length in more bytes than it needs")
        }
        return length
    }

    private func checkMessage(_ opcode: WebSocketFrame.Opcode, _ length: Int) throws(WebSocketViolation) {
        if opcode == .continuation {
            guard message != nil else { throw .protocolError("a continuation of no message") }
        } else {
            guard message == nil else { throw .protocolError("a new message inside a fragmented one") }
            guard opcode == .text else {
                throw WebSocketViolation(code: WebSocketCode.unsupportedData, words: "a binary message")
            }
        }
        guard length <= messageLimit - (message?.count ?? 0) else {
            throw WebSocketViolation(
                code: WebSocketCode.tooBig, words: "a message of more than \(messageLimit) bytes")
        }
    }

    // MARK: Payload

    /// The frame, once its payload is complete.
    private mutating func readPayload() -> Frame? {
        guard var frame else { return nil }
        let count = min(frame.remaining, input.count - position)
        let piece = input[position..<position + count]
        position += count
        frame.remaining -= count
        if frame.opcode.isControl {
            control.append(contentsOf: piece)
        } else {
            message = message ?? []
            if message?.isEmpty == true { message?.reserveCapacity(min(count + frame.remaining, 1 << 20)) }
            message?.append(contentsOf: piece)
        }
        self.frame = frame.remaining == 0 ? nil : frame
        return frame.remaining == 0 ? frame : nil
    }

    /// Nil for a frame that is not the last of its message.
    private mutating func finish(_ frame: Frame) throws(WebSocketViolation) -> WebSocketIncoming? {
        if frame.opcode.isControl {
            let payload = control
            control.removeAll(keepingCapacity: true)
            switch frame.opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong(payload)
            default: return try Self.close(payload)
            }
        }
        guard frame.isLast else { return nil }
        let text = message ?? []
        message = nil
        guard text.isUTF8 else {
            throw WebSocketViolation(code: WebSocketCode.invalidData, words: "a text message that is no UTF-8")
        }
        return .text(text)
    }

    private static func close(_ payload: [UInt8]) throws(WebSocketViolation) -> WebSocketIncoming {
        guard !payload.isEmpty else { return .close(code: WebSocketCode.none, reason: "") }
        guard payload.count >= 2 else { throw .protocolError("a close frame with half a code") }
        let code = Int(payload[0]) << 8 | Int(payload[1])
        guard WebSocketCode.isSendable(code) else { throw .protocolError("a close frame with the code \(code)") }
        let reason = Array(payload[2...])
        guard reason.isUTF8 else {
            throw WebSocketViolation(code: WebSocketCode.invalidData, words: "a close reason that is no UTF-8")
        }
        return .close(code: code, reason: String(decoding: reason, as: UTF8.self))
    }
}

extension [UInt8] {
    var isUTF8: Bool { withUnsafeBytes { WebSocketText.isUTF8($0) } }
}

enum WebSocketText {
    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
            return true
        } catch {
            return false
        }
    }
}
