/// What a redirect makes of a request, by the fetch standard ("HTTP-redirect fetch").
enum Redirect {
    /// Never sent to another origin than the one that the caller named.
    private static let secret: Set<String> = ["authorization"]

    static func follow(_ location: [UInt8], status: Int, of request: HTTPRequest) throws(RedirectRefusal) -> HTTPRequest
    {
        let target: WebAddress
        do throws(WebAddressError) {
            target = try WebAddress(redirectedTo: location, from: request.address, schemes: HTTPRequest.schemes)
        } catch {
            throw RedirectRefusal(reason: "\(error)")
        }
        guard target.isSecure || !request.address.isSecure else {
            throw RedirectRefusal(reason: "from https to http, to \(target.host)")
        }
        var next = request
        next.address = target
        if status == 303 || ((status == 301 || status == 302) && request.method == .post) {
            next.method = .get
            next.body = nil
            next.contentType = nil
            next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
        }
        if target.origin != request.address.origin {
            next.sessionId = nil
            next.headers.removeAll { secret.contains($0.name.lowercased()) }
        }
        return next
    }
}

struct RedirectRefusal: Error, Equatable {
    let reason: String
}
