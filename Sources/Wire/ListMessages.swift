/// Body of a `listRequest` frame: which members has the core's object at `path`? The answer carries the same `call`.
///
///     u32 call, u16 count, then per element u32 length and UTF-8
public struct ListRequest: Equatable, Sendable {
    public let call: UInt32
    public let path: [String]

    public init(call: UInt32, path: [String]) {
        self.call = call
        self.path = path
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.put(call)
        writer.put(names: path)
        return writer.bytes
    }

    public init(decoding body: UnsafeRawBufferPointer) throws(ListMessageError) {
        do {
            var reader = ByteReader(body)
            call = try reader.number()
            path = try reader.names()
            guard reader.remaining == 0 else { throw ByteReader.Truncated() }
        } catch {
            throw ListMessageError(length: body.count)
        }
    }
}

/// Body of a `listReply` frame.
///
///     u32 call, u8 found (0 or 1), then names as in the request
public struct ListReply: Equatable, Sendable {
    public let call: UInt32
    /// Nil: no object at that path.
    public let names: [String]?

    public init(call: UInt32, names: [String]?) {
        self.call = call
        self.names = names
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.put(call)
        writer.put(UInt8(names == nil ? 0 : 1))
        writer.put(names: names ?? [])
        return writer.bytes
    }

    public init(decoding body: UnsafeRawBufferPointer) throws(ListMessageError) {
        do {
            var reader = ByteReader(body)
            call = try reader.number()
            let found: UInt8 = try reader.number()
            let names = try reader.names()
            guard reader.remaining == 0, found == 1 || (found == 0 && names.isEmpty) else {
                throw ByteReader.Truncated()
            }
            self.names = found == 1 ? names : nil
        } catch {
            throw ListMessageError(length: body.count)
        }
    }
}

/// The body of a list request or reply does not have its fields: a protocol violation.
public struct ListMessageError: Error, Equatable, Sendable, CustomStringConvertible {
    public let length: Int

    public init(length: Int) { self.length = length }

    public var description: String { "list message of \(length) bytes does not have the fields of its kind" }
}

extension ByteWriter {
    /// At most 65,535 names, each of any length that its frame holds.
    fileprivate mutating func put(names: [String]) {
        precondition(names.count <= UInt16.max, "\(names.count) names in one list message")
        put(UInt16(names.count))
        for name in names { put(Array(name.utf8)) }
    }
}

extension ByteReader {
    fileprivate mutating func names() throws(Truncated) -> [String] {
        let count: UInt16 = try number()
        var names: [String] = []
        for _ in 0..<count { names.append(try text()) }
        return names
    }
}
