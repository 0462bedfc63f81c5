internal import CGIO
internal import CGLib
internal import CSoup

/// A `GError` as a value.
struct GLibError: Error, CustomStringConvertible {
    let domain: GQuark
    let code: Int
    let message: String

    init(taking error: UnsafeMutablePointer<GError>) {
        domain = error.pointee.domain
        code = Int(error.pointee.code)
        message = error.pointee.message.map { String(cString: $0) } ?? "no reason given"
        g_error_free(error)
    }

    var description: String { message }

    func isIO(_ code: GIOErrorEnum) -> Bool { domain == g_io_error_quark() && self.code == Int(code.rawValue) }

    func isTLS(_ code: GTlsError) -> Bool { domain == g_tls_error_quark() && self.code == Int(code.rawValue) }

    func isResolver(_ code: GResolverError) -> Bool {
        domain == g_resolver_error_quark() && self.code == Int(code.rawValue)
    }

    func isSession(_ code: SoupSessionError) -> Bool {
        domain == soup_session_error_quark() && self.code == Int(code.rawValue)
    }
}

/// Calls a GLib function whose last argument is a `GError **`.
func catchingGLibError<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
) throws(GLibError) -> Result {
    var error: UnsafeMutablePointer<GError>?
    let result = body(&error)
    if let error { throw GLibError(taking: error) }
    return result
}
