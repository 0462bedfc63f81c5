import Glibc

/// Cuts the bytes of one direction of a data pipe into frames.
///
/// The reader asks `nextBuffer()` where the next bytes belong, reads into it, says `received(n)`, and takes frames with
/// `next()` until it gives nil; or `consume(n) { header, body in … }`, which is the last two steps in one. Small frames
/// are cut out of a chunk, many per read. Of a large body the buffer handed out is the body's own memory, so that its
/// bytes are not moved again.
public final class FrameDecoder {
    public static let chunkSize = 64 * 1024
    /// Bodies from this size on are read into their own memory.
    public static let directBodySize = 16 * 1024
    /// What is read at most right after a direct body: streams of large bodies then copy little more than headers, and
    /// small frames lose one short read.
    static let firstReadAfterDirectBody = 4 * 1024

    /// Largest body accepted, in bytes.
    public let limit: UInt32
    public let generation: UInt16

    private let chunk: UnsafeMutableRawPointer
    /// `chunk[start..<end]` is read and not yet cut.
    private var start = 0
    private var end = 0
    /// Of the frame whose body is incomplete.
    private var header: FrameHeader?
    private var direct: DirectBody?
    private var followsDirectBody = false
    private var expectedSequence: UInt32
    private var failure: FrameError?

    private struct DirectBody {
        let base: UnsafeMutableRawPointer
        var filled: Int
    }

    /// `firstSequence` is 0 on a new pipe; tests of the wrap start elsewhere.
    public init(generation: UInt16, limit: UInt32 = 64 << 20, firstSequence: UInt32 = 0) {
        self.generation = generation
        self.limit = limit
        expectedSequence = firstSequence
        chunk = .allocate(byteCount: Self.chunkSize, alignment: FrameHeader.size)
    }

    deinit {
        chunk.deallocate()
        if let direct { free(direct.base) }
    }

    /// Where the next bytes belong: never empty, valid until `received`. To be called when `next()` has given nil.
    public func nextBuffer() -> UnsafeMutableRawBufferPointer {
        if let header, let direct {
            return .init(start: direct.base + direct.filled, count: Int(header.length) - direct.filled)
        }
        if start > 0 {
            memmove(chunk, chunk + start, end - start)
            end -= start
            start = 0
        }
        precondition(end < Self.chunkSize, "the chunk is full of whole frames: take them with next() before reading on")
        let room = Self.chunkSize - end
        return .init(start: chunk + end, count: followsDirectBody ? min(room, Self.firstReadAfterDirectBody) : room)
    }

    /// `count` bytes were put at the start of the last `nextBuffer()`. After a failure bytes are dropped.
    public func received(_ count: Int) {
        guard failure == nil else { return }
        if direct != nil {
            direct?.filled += count
        } else {
            end += count
            followsDirectBody = false
        }
    }

    /// The next whole frame, or nil if more bytes are needed. After an error each call throws it again.
    public func next() throws(FrameError) -> Frame? {
        if let failure { throw failure }
        do {
            return try cut()
        } catch {
            failure = error
            header = nil
            start = 0
            end = 0
            throw error
        }
    }

    /// `received` and then every whole frame in order. Frames before a bad one are given before the error is thrown.
    public func consume(
        _ count: Int, onFrame: (FrameHeader, consuming FrameBody) -> Void
    ) throws(FrameError) {
        received(count)
        while let frame = try next() { onFrame(frame.header, frame.takeBody()) }
    }

    private func cut() throws(FrameError) -> Frame? {
        guard let header = try currentHeader() else { return nil }
        let length = Int(header.length)
        if let direct {
            guard direct.filled == length else { return nil }
            self.direct = nil
            self.header = nil
            followsDirectBody = true
            return Frame(header: header, body: FrameBody(takingOwnershipOf: direct.base, count: length))
        }
        let available = end - start
        if available >= length {
            guard let body = FrameBody(copying: chunk + start, count: length) else {
                throw .noMemory(length: header.length)
            }
            self.header = nil
            advance(length)
            return Frame(header: header, body: body)
        }
        self.header = header
        if length >= Self.directBodySize {
            guard let base = malloc(length) else { throw .noMemory(length: header.length) }
            memcpy(base, chunk + start, available)
            advance(available)
            direct = DirectBody(base: base, filled: available)
        }
        return nil
    }

    private func currentHeader() throws(FrameError) -> FrameHeader? {
        if let header { return header }
        guard end - start >= FrameHeader.size else { return nil }
        let header = try FrameHeader(
            at: chunk + start, limit: limit, generation: generation, sequence: expectedSequence)
        expectedSequence &+= 1
        advance(FrameHeader.size)
        return header
    }

    private func advance(_ count: Int) {
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }
}

extension FrameDecoder {
    /// The frame that the stream broke off in, if it ends now: evidence for a death in the middle of a frame.
    public struct PartialFrame: Equatable, Sendable {
        /// Nil when not even the header is whole.
        public let header: FrameHeader?
        /// Bytes that are there, the header's 16 included.
        public let received: Int
    }

    /// To be read when `next()` has given nil.
    public var partialFrame: PartialFrame? {
        if let header {
            let body = direct?.filled ?? (end - start)
            return PartialFrame(header: header, received: FrameHeader.size + body)
        }
        return end > start ? PartialFrame(header: nil, received: end - start) : nil
    }

    public var hasPartialFrame: Bool { partialFrame != nil }
}
