/// Version of both pipes' formats; the hello names it and the supervisor refuses another.
public let wireProtocolVersion: UInt16 = 4

/// One direction of the control pipe. A message is `u32 length, u8 kind, body` in little-endian order; the length counts
/// the body alone. Texts and byte fields have a `u32` length in front.
public protocol ControlMessage: Equatable, Sendable {
    /// Largest body accepted, in bytes.
    static var bodyLimit: Int { get }

    var kind: UInt8 { get }
    /// The body's bytes.
    func body() -> [UInt8]
    /// Nil: no such kind.
    init?(kind: UInt8, body: UnsafeRawBufferPointer) throws(ControlError)
}

extension ControlMessage {
    static var headerSize: Int { 5 }

    /// The whole message as it goes into the pipe.
    public func encoded() -> [UInt8] {
        let body = body()
        precondition(body.count <= Self.bodyLimit, "control message of kind \(kind) with \(body.count) bytes")
        var writer = ByteWriter(capacity: Self.headerSize + body.count)
        writer.put(UInt32(body.count))
        writer.put(kind)
        return writer.bytes + body
    }
}

/// Why a control pipe cannot be read on: a protocol violation of the other side.
public enum ControlError: Error, Equatable, Sendable {
    case tooLong(length: UInt32, limit: Int)
    case unknownKind(UInt8)
    /// A field goes past the message's end, or bytes are left behind the last field.
    case malformed(kind: UInt8, length: Int)
    /// A field has a value outside its list.
    case unknownValue(field: String, UInt8)
}

extension ControlError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let length, let limit):
            "control message of \(length) bytes is over the limit of \(limit) bytes"
        case .unknownKind(let kind):
            "control message of unknown kind \(kind): both programs must be of one version"
        case .malformed(let kind, let length):
            "control message of kind \(kind) with \(length) bytes does not have the fields of its kind"
        case .unknownValue(let field, let value):
            "control message with unknown \(field) \(value): both programs must be of one version"
        }
    }
}
