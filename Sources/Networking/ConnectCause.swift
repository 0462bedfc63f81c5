internal import CGIO
internal import CGLib

/// Why a server gave no answer.
public enum ConnectCause: Sendable, Equatable {
    case refused
    case unreachable
    case unknownHost
    case lookUpFailed
    case timedOut
    case closedEarly
    case certificate(CertificateProblem)
    case tlsFailed(String)
    case proxyFailed(String)
    case other(String)

    init(_ error: GLibError, _ trust: TrustCheck) {
        if let problem = trust.problem {
            self = .certificate(problem)
        } else if error.isIO(G_IO_ERROR_CONNECTION_REFUSED) {
            self = .refused
        } else if error.isIO(G_IO_ERROR_HOST_UNREACHABLE) || error.isIO(G_IO_ERROR_NETWORK_UNREACHABLE) {
            self = .unreachable
        } else if error.isResolver(G_RESOLVER_ERROR_NOT_FOUND) || error.isIO(G_IO_ERROR_HOST_NOT_FOUND) {
            self = .unknownHost
        } else if error.domain == g_resolver_error_quark() {
            self = .lookUpFailed
        } else if error.isIO(G_IO_ERROR_TIMED_OUT) {
            self = .timedOut
        } else if [
            G_IO_ERROR_PARTIAL_INPUT, G_IO_ERROR_CONNECTION_CLOSED, G_IO_ERROR_BROKEN_PIPE, G_IO_ERROR_CLOSED,
        ].contains(where: error.isIO) || error.isTLS(G_TLS_ERROR_EOF) {
            self = .closedEarly
        } else if error.domain == g_tls_error_quark() {
            self = .tlsFailed(error.message)
        } else if [
            G_IO_ERROR_PROXY_FAILED, G_IO_ERROR_PROXY_AUTH_FAILED, G_IO_ERROR_PROXY_NEED_AUTH,
            G_IO_ERROR_PROXY_NOT_ALLOWED,
        ].contains(where: error.isIO) {
            self = .proxyFailed(error.message)
        } else {
            self = .other(error.message)
        }
    }

    /// One word for programs.
    public var name: String {
        switch self {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .unknownHost: "unknownHost"
        case .lookUpFailed: "lookUpFailed"
        case .timedOut: "timedOut"
        case .closedEarly: "closedEarly"
        case .certificate(let problem): "certificate-\(problem.rawValue)"
        case .tlsFailed: "tlsFailed"
        case .proxyFailed: "proxyFailed"
        case .other: "other"
        }
    }

    /// For people.
    public func words(host: String) -> String {
        switch self {
        case .refused: "\(host) refuses connections at that port"
        case .unreachable: "no way through the network to \(host)"
        case .unknownHost: "no host has the name \(host)"
        case .lookUpFailed: "the name \(host) could not be looked up now"
        case .timedOut: "no answer from \(host) in time"
        case .closedEarly: "\(host) closed the connection before it answered"
        case .certificate(let problem): problem.words(host: host)
        case .tlsFailed(let reason): "no secure connection with \(host): \(reason)"
        case .proxyFailed(let reason): "the proxy gave no way to \(host): \(reason)"
        case .other(let reason): "no connection with \(host): \(reason)"
        }
    }
}
