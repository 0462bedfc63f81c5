/// What may stand in a request's headers (RFC 9110, section 5), and which of them are the platform's own.
public enum HeaderRules {
    /// Set by the platform alone, or of no use from JavaScript: framing, the connection, codings, cookies.
    static let refused: Set<String> = [
        "accept-encoding", "connection", "content-length", "cookie", "cookie2", "date", "expect", "host", "keep-alive",
        "te", "trailer", "transfer-encoding", "upgrade", "via",
    ]

    /// With arguments of their own.
    static let ownArguments: [String: String] = ["content-type": "contentType", "x-session-id": "sessionId"]

    public static let mostHeaders = 256
    public static let longestValue = 65536

    /// Why this header cannot be asked for; nil when it can.
    public static func problem(_ name: String, _ value: String) -> String? {
        guard isToken(name) else { return "\"\(shown(name))\" is no header name" }
        let lower = name.lowercased()
        if let argument = ownArguments[lower] { return "header \(name) has an argument of its own, \(argument)" }
        guard !refused.contains(lower), !lower.hasPrefix("proxy-") else {
            return "header \(name) is set by the platform alone"
        }
        return problem(value: value, of: name)
    }

    /// Why `name` cannot have this value; nil when it can.
    public static func problem(value: String, of name: String) -> String? {
        guard value.utf8.count <= longestValue else {
            return "\(name) has \(value.utf8.count) characters, at most \(longestValue) are sent"
        }
        guard let bad = value.unicodeScalars.first(where: { !($0 == "\t" || (0x20...0x7e).contains($0.value)) }) else {
            return nil
        }
        return "\(name) has the character U+\(String(bad.value, radix: 16, uppercase: true)), which no header has"
    }

    /// RFC 9110, section 5.6.2.
    public static func isToken(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 256
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(60).map { $0.value < 0x20 ? "\u{FFFD}" : $0 }))
    }
}
