internal import CGLib
internal import Synchronization

/// The server's side of a WebSocket, frame by frame, over a connection of a `RawServer`: for what no honest server does.
public final class RawWebSocket: Sendable {
    public struct Frame: Equatable, Sendable {
        public let opcode: UInt8
        public let isLast: Bool
        public let payload: [UInt8]
        public var text: String { String(decoding: payload, as: UTF8.self) }
        /// Of a close frame; nil where it has none.
        public var code: Int? { payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]) }
        public var reason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
    }

    public static let text: UInt8 = 1
    public static let binary: UInt8 = 2
    public static let close: UInt8 = 8
    public static let ping: UInt8 = 9
    public static let pong: UInt8 = 10

    public let connection: RawConnection
    private let unread = Mutex<[UInt8]>([])

    /// Answers the opening handshake; nil when the client has left.
    public init?(_ connection: RawConnection) {
        guard let head = connection.readHead() else { return nil }
        self.connection = connection
        connection.write(Self.reply(to: head))
    }

    /// Status 101 with what the standard wants, for a request with this head.
    public static func reply(to head: String) -> String {
        let lines = head.split(separator: "\r\n")
        let name = "Sec-WebSocket-Key: "
        let key = lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? ""
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(acceptance(of: key))\r\n\r\n"
    }

    private static func acceptance(of key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        let checksum = g_checksum_new(G_CHECKSUM_SHA1)
        defer { g_checksum_free(checksum) }
        g_checksum_update(checksum, text, text.count)
        var digest = [UInt8](repeating: 0, count: 20)
        var length = gsize(20)
        g_checksum_get_digest(checksum, &digest, &length)
        guard let encoded = g_base64_encode(digest, length) else { return "" }
        defer { g_free(encoded) }
        return String(cString: encoded)
    }

    /// A frame's bytes as a server writes them.
    public static func frame(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            switch count {
            case ...125: [UInt8(count)]
            case ...0xffff: [126, UInt8(count >> 8), UInt8(count & 0xff)]
            default: [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            }
        return [(isLast ? 0x80 : 0) | opcode] + length + payload
    }

    /// False when the client has left.
    @discardableResult
    public func send(_ opcode: UInt8, _ payload: [UInt8] = [], isLast: Bool = true) -> Bool {
        connection.write(Self.frame(opcode, payload, isLast: isLast))
    }

    @discardableResult
    public func send(text: String) -> Bool { send(Self.text, Array(text.utf8)) }

    @discardableResult
    public func send(close code: Int, _ reason: String = "") -> Bool {
        send(Self.close, [UInt8(code >> 8), UInt8(code & 0xff)] + reason.utf8)
    }

    /// The client's next frame, unmasked; nil at its end, or where it is not masked.
    public func read() -> Frame? {
        guard let start = take(2), start[1] & 0x80 != 0 else { return nil }
        var count = Int(start[1] & 0x7f)
        if count > 125 {
            guard let length = take(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let mask = take(4), let masked = take(count) else { return nil }
        let payload = masked.enumerated().map { $1 ^ mask[$0 & 3] }
        return Frame(opcode: start[0] & 0x0f, isLast: start[0] & 0x80 != 0, payload: payload)
    }

    /// The next frame with this opcode; those before it are dropped.
    public func read(_ opcode: UInt8) -> Frame? {
        while let frame = read() { if frame.opcode == opcode { return frame } }
        return nil
    }

    private func take(_ count: Int) -> [UInt8]? {
        unread.withLock { unread in
            while unread.count < count {
                guard let more = connection.read() else { return nil }
                unread += more
            }
            defer { unread.removeFirst(count) }
            return Array(unread[..<count])
        }
    }
}
