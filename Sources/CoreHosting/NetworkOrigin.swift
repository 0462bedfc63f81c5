internal import JSEngine
internal import Networking

/// What was asked for, and the exceptions that say how it failed.
struct NetworkOrigin {
    let method: String
    /// As it was asked for.
    let url: String

    func exception(_ failure: HTTPFailure) -> RuntimeException {
        switch failure {
        case .connect(let cause, let host): return exception(cause, host)
        case .reply(let fault, let status):
            var exception = exception(fault.words, status: status)
            if case .tooBig = fault { exception.fields["bodyTooBig"] = .flag(true) }
            return exception
        case .cancelled: return exception(.other("the platform ends"), "")
        }
    }

    private func exception(_ cause: ConnectCause, _ host: String) -> RuntimeException {
        let words = cause.words(host: host)
        return RuntimeException(
            type: "connect",
            [
                "connectType": .text("http"), "url": .text(url), "method": .text(method),
                "reason": .text(cause.name), "cause": .text(words), "message": .text("\(method) \(url): \(words)"),
            ])
    }

    /// A reply that cannot be used.
    func exception(_ words: String, status: Int?) -> RuntimeException {
        var exception = RuntimeException(
            type: "http-request",
            [
                "url": .text(url), "method": .text(method), "malformedResponse": .flag(true),
                "message": .text("\(method) \(url): \(words)"),
            ])
        exception.fields["status"] = status.map { .number(Double($0)) }
        return exception
    }
}
