internal import CGLib
internal import CSystem

/// The opening handshake of RFC 6455, section 4: the request, and the check of what is answered.
struct WebSocketHandshake {
    /// Of a reply's status line and headers, in bytes.
    static let longestHead = 65536

    enum Outcome: Equatable {
        /// The connection is a WebSocket from here on; what follows the head are frames.
        case opened
        case refused(status: Int)
        /// An interim reply; another one follows.
        case interim
    }

    struct Malformed: Error, Equatable {
        let words: String
        var status: Int?
    }

    let request: [UInt8]
    private let acceptance: String

    init(_ request: WebSocketRequest, userAgent: String) {
        var nonce = [UInt8](repeating: 0, count: 16)
        let filled = nonce.withUnsafeMutableBytes { chs_random($0.baseAddress, $0.count) }
        precondition(filled == 0, "getrandom failed")
        self.init(request, userAgent: userAgent, nonce: nonce)
    }

    init(_ request: WebSocketRequest, userAgent: String, nonce: [UInt8]) {
        let key = Self.base64(nonce)
        acceptance = Self.acceptance(of: key)
        var lines = [
            "GET \(request.address.target) HTTP/1.1", "Host: \(request.address.authority)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "User-Agent: \(userAgent)",
        ]
        if let sessionId = request.sessionId { lines.append("X-Session-Id: \(sessionId)") }
        self.request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// SHA-1 of the key and the standard's own id, in base 64.
    static func acceptance(of key: String) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        var length = gsize(digest.count)
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        let checksum = g_checksum_new(G_CHECKSUM_SHA1)
        g_checksum_update(checksum, text, text.count)
        g_checksum_get_digest(checksum, &digest, &length)
        g_checksum_free(checksum)
        return base64(digest)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    // MARK: The reply

    /// Bytes of the head at the start of `bytes`, its empty line included; nil while that has not come.
    static func headLength(_ bytes: [UInt8]) throws(Malformed) -> Int? {
        let start = Array("HTTP/".utf8)
        guard bytes.prefix(start.count).elementsEqual(start.prefix(bytes.count)) else {
            throw Malformed(words: "what came is no HTTP reply")
        }
        let end = Array("\r\n\r\n".utf8)
        var index = 0
        while index + 4 <= bytes.count {
            if bytes[index..<index + 4].elementsEqual(end) { return index + 4 }
            index += 1
        }
        guard bytes.count < longestHead else { throw Malformed(words: "the reply's headers have no end") }
        return nil
    }

    /// - Parameter head: as `headLength` measured it.
    func outcome(of head: some Collection<UInt8>) throws(Malformed) -> Outcome {
        // CR LF is one character.
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            let status = Int(words[1]), (100...999).contains(status)
        else { throw Malformed(words: "no status line of HTTP/1.1: \"\(lines[0].prefix(80))\"") }
        guard status == 101 else { return status < 200 ? .interim : .refused(status: status) }
        try check(Self.headers(lines.dropFirst()))
        return .opened
    }

    private func check(_ headers: [String: String]) throws(Malformed) {
        guard headers["upgrade"]?.lowercased() == "websocket" else {
            throw Malformed(words: "an upgrade to something else than a WebSocket", status: 101)
        }
        let connection = headers["connection"]?.lowercased().split(separator: ",") ?? []
        guard connection.contains(where: { $0.trimmed == "upgrade" }) else {
            throw Malformed(words: "status 101 without \"Connection: Upgrade\"", status: 101)
        }
        guard headers["sec-websocket-accept"] == acceptance else {
            throw Malformed(words: "the upgrade is the answer to another request than ours", status: 101)
        }
        for name in ["sec-websocket-extensions", "sec-websocket-protocol"] where headers[name]?.isEmpty == false {
            throw Malformed(words: "the header \(name), which was not asked for", status: 101)
        }
    }

    /// Names in lower case; of several with one name, their values joined by commas.
    private static func headers(_ lines: ArraySlice<Substring>) -> [String: String] {
        let pairs = lines.compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmed)
        }
        return Dictionary(pairs) { "\($0),\($1)" }
    }
}

extension Substring {
    /// Without blanks and tabs around it.
    fileprivate var trimmed: String {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
