/// Cuts the bytes of one direction of a control pipe into messages. Used like `FrameDecoder`: `nextBuffer()`,
/// `received(n)`, then `next()` until it gives nil.
public final class ControlDecoder<Message: ControlMessage> {
    private static var usualSize: Int { 4096 }

    private var buffer: UnsafeMutableRawBufferPointer
    /// `buffer[start..<end]` is read and not yet cut.
    private var start = 0
    private var end = 0
    private var failure: ControlError?

    public init() {
        buffer = .allocate(byteCount: Self.usualSize, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// Where the next bytes belong: never empty, valid until `received`. To be called when `next()` has given nil.
    public func nextBuffer() -> UnsafeMutableRawBufferPointer {
        makeRoom(for: failure == nil ? sizeOfMessage ?? 0 : 0)
        precondition(
            end < buffer.count, "the buffer is full of whole messages: take them with next() before reading on")
        return UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    }

    /// `count` bytes were put at the start of the last `nextBuffer()`. After a failure bytes are dropped.
    public func received(_ count: Int) {
        if failure == nil { end += count }
    }

    /// The next whole message, or nil if more bytes are needed. After an error each call throws it again.
    public func next() throws(ControlError) -> Message? {
        if let failure { throw failure }
        do {
            return try cut()
        } catch {
            failure = error
            start = 0
            end = 0
            throw error
        }
    }

    /// `received` and then every whole message in order. Messages before a bad one are given before the error is thrown.
    public func consume(_ count: Int, onMessage: (Message) -> Void) throws(ControlError) {
        received(count)
        while let message = try next() { onMessage(message) }
    }

    /// Bytes of a message that the stream broke off in, if it ends now.
    public var partialBytes: Int { end - start }

    private func cut() throws(ControlError) -> Message? {
        guard let size = sizeOfMessage else { return nil }
        let length = size - Message.headerSize
        guard length <= Message.bodyLimit else {
            throw .tooLong(length: UInt32(length), limit: Message.bodyLimit)
        }
        guard end - start >= size else { return nil }
        let kind = buffer[start + Message.headerSize - 1]
        let body = UnsafeRawBufferPointer(rebasing: buffer[start + Message.headerSize..<start + size])
        guard let message = try Message(kind: kind, body: body) else { throw .unknownKind(kind) }
        start += size
        return message
    }

    /// Header included; nil as long as the header is not whole.
    private var sizeOfMessage: Int? {
        guard end - start >= Message.headerSize else { return nil }
        let length = UnsafeRawBufferPointer(buffer).loadUnaligned(fromByteOffset: start, as: UInt32.self)
        return Message.headerSize + Int(UInt32(littleEndian: length))
    }

    /// Moves what is left to the front, into a buffer that holds one message of `size` bytes; the large buffer of a boot
    /// order is given back as soon as it is done with.
    private func makeRoom(for size: Int) {
        let wanted = max(size, Self.usualSize)
        if wanted != buffer.count {
            let other = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 1)
            other.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            buffer.deallocate()
            buffer = other
        } else if start > 0, let base = buffer.baseAddress {
            base.copyMemory(from: base + start, byteCount: end - start)
        }
        end -= start
        start = 0
    }
}

/// Fields of one message, with the error that names it.
struct ControlFields {
    private let kind: UInt8
    private let length: Int
    private var reader: ByteReader

    init(kind: UInt8, body: UnsafeRawBufferPointer) {
        self.kind = kind
        length = body.count
        reader = ByteReader(body)
    }

    mutating func number<Number: FixedWidthInteger>() throws(ControlError) -> Number {
        do { return try reader.number() } catch { throw malformed }
    }

    mutating func text() throws(ControlError) -> String {
        do { return try reader.text() } catch { throw malformed }
    }

    mutating func data() throws(ControlError) -> [UInt8] {
        do { return try reader.data() } catch { throw malformed }
    }

    func end() throws(ControlError) {
        guard reader.remaining == 0 else { throw malformed }
    }

    private var malformed: ControlError { .malformed(kind: kind, length: length) }
}
