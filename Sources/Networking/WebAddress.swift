internal import CGIO
internal import CGLib

/// An absolute URL that may be asked for, in the form that it is sent in.
///
/// It is ASCII without blanks and control characters, so that nothing can be put into a request by it; it has one of the
/// schemes asked for, a host of ordinary characters, no user and no password. What follows a `#` is left out.
public struct WebAddress: Sendable, Equatable, CustomStringConvertible {
    static let longest = 65536

    public let text: String
    public let scheme: String
    /// Lower-case; an IPv6 address without its brackets.
    public let host: String
    public let port: Int

    public var description: String { text }

    /// `https://host:port` in one form.
    public var origin: String { "\(scheme)://\(host):\(port)" }

    public var isSecure: Bool { scheme == "https" || scheme == "wss" }

    public init(_ text: String, schemes: [String]) throws(WebAddressError) {
        guard text.utf8.count <= Self.longest else { throw WebAddressError(.tooLong(text.utf8.count)) }
        guard let bad = text.unicodeScalars.first(where: { !Self.isAllowed($0) }) else {
            self = try Self.parse(text, schemes)
            return
        }
        throw WebAddressError(.character(bad))
    }

    /// `Location` of a redirect, which may be relative, and whose bytes may be anything.
    public init(redirectedTo location: [UInt8], from base: WebAddress, schemes: [String]) throws(WebAddressError) {
        var encoded = ""
        for byte in location {
            if byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "\\") {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        var error: UnsafeMutablePointer<GError>?
        guard let resolved = g_uri_resolve_relative(base.text, encoded, Self.flags, &error) else {
            if let error { g_error_free(error) }
            throw WebAddressError(.noURL)
        }
        defer { g_free(resolved) }
        try self.init(String(cString: resolved), schemes: schemes)
    }

    private init(text: String, scheme: String, host: String, port: Int) {
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && scalar.value < 0x7f && !"\\\"<>".unicodeScalars.contains(scalar)
    }

    private static let flags = GUriFlags(
        G_URI_FLAGS_ENCODED_PATH.rawValue | G_URI_FLAGS_ENCODED_QUERY.rawValue | G_URI_FLAGS_ENCODED_FRAGMENT.rawValue
            | G_URI_FLAGS_SCHEME_NORMALIZE.rawValue | G_URI_FLAGS_PARSE_RELAXED.rawValue)

    private static func parse(_ text: String, _ schemes: [String]) throws(WebAddressError) -> WebAddress {
        let bytes = text.prefix { $0 != "#" }
        guard let colon = bytes.firstIndex(of: ":") else { throw WebAddressError(.noURL) }
        let scheme = bytes[..<colon].lowercased()
        guard schemes.contains(scheme) else { throw WebAddressError(.scheme(scheme, wanted: schemes)) }
        let rest = bytes[bytes.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw WebAddressError(.noURL) }
        let authority = rest.dropFirst(2).prefix { !"/?".contains($0) }
        guard !authority.contains("@") else { throw WebAddressError(.credentials) }
        let allowed = "-._:[]"
        guard !authority.isEmpty, authority.allSatisfy({ $0.isLetter || $0.isNumber || allowed.contains($0) }) else {
            throw WebAddressError(.host(String(authority)))
        }
        var error: UnsafeMutablePointer<GError>?
        guard let uri = g_uri_parse(String(bytes), flags, &error) else {
            if let error { g_error_free(error) }
            throw WebAddressError(.noURL)
        }
        defer { g_uri_unref(uri) }
        guard let host = g_uri_get_host(uri), host.pointee != 0, let written = g_uri_to_string(uri) else {
            throw WebAddressError(.host(String(authority)))
        }
        defer { g_free(written) }
        return WebAddress(
            text: String(cString: written), scheme: scheme, host: String(cString: host).lowercased(),
            port: Int(g_uri_get_port(uri)))
    }

    /// Calls `body` with the address as a `GUri`.
    func withURI<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        guard let uri = g_uri_parse(text, Self.flags, nil) else {
            preconditionFailure("a checked URL was not parsed: \(text)")
        }
        defer { g_uri_unref(uri) }
        return body(uri)
    }
}

/// A text that is no URL to be asked for.
public struct WebAddressError: Error, Equatable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        case noURL
        case tooLong(Int)
        case character(Unicode.Scalar)
        case scheme(String, wanted: [String])
        case credentials
        case host(String)
    }

    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    public var description: String {
        switch reason {
        case .noURL: "that is no absolute URL"
        case .tooLong(let count): "\(count) characters are too many; at most \(WebAddress.longest)"
        case .character(let scalar):
            "no URL has the character U+\(String(scalar.value, radix: 16, uppercase: true)) in it; "
                + "give it as the \"href\" of a URL object"
        case .scheme(let scheme, let wanted):
            "the scheme must be \(wanted.joined(separator: " or ")), not \(scheme.prefix(40))"
        case .credentials: "a user or a password in a URL is refused; send them in a header"
        case .host(let host): "\"\(host.prefix(80))\" is no host with an optional port"
        }
    }
}
