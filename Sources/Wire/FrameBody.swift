import Glibc

/// Bytes of one frame in memory from `malloc`, with one owner: freed here unless taken.
public struct FrameBody: ~Copyable {
    private let base: UnsafeMutableRawPointer
    public let count: Int

    /// Nil when the allocator refuses. `count` 0 is a body like any other, with a pointer that can be freed.
    init?(copying source: UnsafeRawPointer, count: Int) {
        guard let base = malloc(max(count, 1)) else { return nil }
        memcpy(base, source, count)
        self.base = base
        self.count = count
    }

    /// `base` is from `malloc` and now belongs to this value.
    init(takingOwnershipOf base: UnsafeMutableRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    deinit { free(base) }

    /// Valid as long as this value is.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Hands the memory to the caller, who ends it with `free`.
    public consuming func take() -> UnsafeMutableRawBufferPointer {
        let bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
        discard self
        return bytes
    }
}

/// A frame as read from a data pipe.
@frozen
public struct Frame: ~Copyable {
    public let header: FrameHeader
    public let body: FrameBody

    init(header: FrameHeader, body: consuming FrameBody) {
        self.header = header
        self.body = body
    }

    public var kind: FrameKind { header.kind }

    public consuming func takeBody() -> FrameBody { body }
}
