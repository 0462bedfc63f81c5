public import JSEngine
internal import Networking

/// Ports of the core that reach the network.
public enum NetworkPorts {
    static let request = PortSignature(
        "http_request",
        [
            .init("method", .choice(HTTPRequest.Method.allCases.map(\.rawValue))),
            .init("url", .word),
            .init("responseType", .choice(["json", "arraybuffer", "text"]), isOptional: true),
            .init("sessionId", .word, isOptional: true),
            .init("requestHeaders", .record, isOptional: true),
            .init("responseHeaders", .texts, isOptional: true),
            .init("timeout", .whole(0...2_147_483_647), isOptional: true),
            .init("timeoutRetries", .whole(0...100), isOptional: true),
            .init("contentType", .word, isOptional: true),
            .init("body", .bytes, isOptional: true),
        ],
        gives: "promise of `{status, headers, body}`", throws: "`connect`, `http-request`",
        """
        One HTTP request. `headers` has those of `responseHeaders` that came, by their names in lower case; `body` is a \
        value, a `Uint8Array` (also without `responseType`) or a string. No status throws.
        """)

    public static let group = PortGroup("Network", [request])
}
