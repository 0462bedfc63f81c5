internal import CGIO
internal import CGLib
internal import JSEngine

/// The port `openExternal`: hands a URL to the program that the user's desktop has for its scheme.
struct ExternalOpener {
    static let schemes = ["http", "https", "mailto", "tel", "sms", "w3n"]
    private static let longest = 64 << 10

    static let signature = PortSignature(
        "openExternal", [.init("url", .word)], gives: "promise of nothing",
        throws: "`open-external`: `noHandler`, `notStarted`, `url`",
        "Opens a URL in the user's browser, or in what the desktop has for its scheme: \(schemes.joined(separator: ", "))."
    )

    static func register(on engine: JSEngineHost) {
        engine.registerPort(signature) { arguments in
            let url = try arguments.text(0)
            if let fault = fault(of: url) { throw arguments.bad(0, "\(fault), but is \(arguments.seen(0))") }
            let promise = engine.makePromise()
            let call = Unmanaged.passRetained(Call(url: url, promise: promise))
            g_app_info_launch_default_for_uri_async(
                url, nil, nil,
                { _, result, data in
                    guard let data else { return }
                    Unmanaged<Call>.fromOpaque(data).takeRetainedValue().finish(result)
                }, call.toOpaque())
            return promise.value
        }
    }

    /// What a URL must be and this one is not; nil for one that may be opened.
    static func fault(of url: String) -> String? {
        guard url.utf8.count <= longest else { return "must have at most \(longest) bytes" }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return "must be ASCII without blanks and control characters, as URL.href gives it"
        }
        var error: UnsafeMutablePointer<GError>?
        guard let parsed = g_uri_parse(url, G_URI_FLAGS_ENCODED, &error) else {
            g_clear_error(&error)
            return "must be an absolute URL"
        }
        defer { g_uri_unref(parsed) }
        let scheme = g_uri_get_scheme(parsed).map { String(cString: $0) } ?? ""
        guard schemes.contains(scheme) else {
            return "must have one of the schemes \(schemes.joined(separator: ", "))"
        }
        return nil
    }

    private final class Call {
        let url: String
        let promise: JSPromise

        init(url: String, promise: JSPromise) {
            self.url = url
            self.promise = promise
        }

        func finish(_ result: OpaquePointer?) {
            var error: UnsafeMutablePointer<GError>?
            if g_app_info_launch_default_for_uri_finish(result, &error) != 0 {
                promise.resolve { $0.undefined }
                return
            }
            let hasNoHandler = g_error_matches(error, g_io_error_quark(), Int32(G_IO_ERROR_NOT_SUPPORTED.rawValue)) != 0
            let reason = error.map { String(cString: $0.pointee.message) } ?? "the desktop gave no reason"
            g_clear_error(&error)
            let advice = hasNoHandler ? "; set a default program for this scheme (xdg-mime), or open it by hand" : ""
            promise.reject(
                RuntimeException(
                    type: "open-external",
                    [
                        "url": .text(url), hasNoHandler ? "noHandler" : "notStarted": .flag(true),
                        "message": .text("\(url) was not opened: \(reason)\(advice)"),
                    ]))
        }
    }
}
