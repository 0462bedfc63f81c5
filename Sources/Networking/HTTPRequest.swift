/// One request, checked: what it says can be sent as it is.
public struct HTTPRequest {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"

        public var hasBody: Bool { self == .post || self == .put }
    }

    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public static let schemes = ["http", "https"]

    public var method: Method
    public var address: WebAddress
    public var headers: [Header] = []
    /// Sent as `X-Session-Id`, to the origin that was asked for and to no other.
    public var sessionId: String?
    public var contentType: String?
    /// Sent with `POST` and `PUT` alone, which have an empty one else.
    public var body: RequestBody?
    /// Names of the headers that the reply shall have.
    public var wantedHeaders: [String] = []
    /// For one attempt: from its begin to the last byte of the body, redirects included; nil = the session's silence limit
    /// alone.
    public var timeout: Duration?
    /// Attempts that follow one that timed out.
    public var retries = 0
    public var longestBody = HTTPRequest.longestBytes

    public static let longestBytes = 512 << 20
    public static let longestText = 64 << 20

    public init(_ method: Method, _ address: WebAddress) {
        self.method = method
        self.address = address
    }
}

/// Bytes to be sent from where they are: nothing is copied, and `keeper` is held as long as they may be read.
public struct RequestBody {
    let bytes: UnsafeRawBufferPointer
    let keeper: AnyObject

    public init(_ bytes: UnsafeRawBufferPointer, keptBy keeper: AnyObject) {
        self.bytes = bytes
        self.keeper = keeper
    }
}

public struct HTTPReply {
    public let status: Int
    /// Those asked for that there were, in the order of asking; names in lower case, several of one name joined by ", ".
    public let headers: [HTTPRequest.Header]
    public let body: ReceivedBytes
}

/// A request that got no reply, or none that can be used.
public enum HTTPFailure: Error, Sendable, Equatable {
    case connect(ConnectCause, host: String)
    case reply(ReplyFault, status: Int?)
    /// By the caller, or because the client was closed.
    case cancelled
}

/// What is wrong with a reply.
public enum ReplyFault: Sendable, Equatable {
    /// Fewer bytes than announced, or a connection that ended inside the body.
    case cutShort(received: Int)
    case notHTTP(String)
    case headersTooBig
    case coding(String)
    case tooBig(limit: Int)
    case tooManyRedirects
    case redirect(String)
    case noMemory(Int)

    public var words: String {
        switch self {
        case .cutShort(let count): "the body ended after \(count) bytes, before its end"
        case .notHTTP(let reason): "what came is no HTTP: \(reason)"
        case .headersTooBig: "the reply's headers have no end"
        case .coding(let coding): "the body has the content coding \(coding), which was not asked for"
        case .tooBig(let limit): "the body has more than \(limit) bytes, the most that is taken here"
        case .tooManyRedirects: "more than \(HTTPCall.mostRedirects) redirects, one after the other"
        case .redirect(let reason): "a redirect that is not followed: \(reason)"
        case .noMemory(let count): "no memory for a body of \(count) bytes"
        }
    }
}
