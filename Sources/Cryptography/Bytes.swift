internal import CSodium
internal import Glibc

/// Bytes that a computation reads, on whichever thread.
///
/// Unchecked: nothing here writes to them after `init`. Those in place belong to somebody who keeps them until the
/// computation is over, and who may change them, which changes nothing but the result.
public final class InputBytes: @unchecked Sendable {
    public let bytes: UnsafeRawBufferPointer
    private let owned: UnsafeMutableRawBufferPointer?

    public init(inPlace bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        owned = nil
    }

    /// A copy, which is wiped in the end.
    public init(copying bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyMemory(from: bytes)
        self.bytes = UnsafeRawBufferPointer(copy)
        owned = copy
    }

    deinit {
        guard let owned else { return }
        if let start = owned.baseAddress { sodium_memzero(start, owned.count) }
        owned.deallocate()
    }

    var count: Int { bytes.count }

    /// libsodium refuses null even for no bytes.
    var pointer: UnsafePointer<UInt8> {
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.nothing
    }

    private static var nothing: UnsafePointer<UInt8> { UnsafePointer(ResultBytes.nothing) }
}

/// Bytes that a computation gives, from `malloc`.
///
/// Unchecked: one thread fills them, then another takes them.
public final class ResultBytes: @unchecked Sendable {
    public let count: Int
    private var memory: UnsafeMutablePointer<UInt8>?

    init(count: Int) throws(CryptorError) {
        self.count = count
        memory = malloc(max(1, count))?.bindMemory(to: UInt8.self, capacity: max(1, count))
        if memory == nil { throw .outOfMemory(bytes: count) }
    }

    deinit {
        guard let memory else { return }
        sodium_memzero(memory, count)
        free(memory)
    }

    /// The receiver must free it.
    public func take() -> UnsafeMutableRawPointer? {
        defer { memory = nil }
        return memory.map { UnsafeMutableRawPointer($0) }
    }

    /// Until they are taken.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: memory == nil ? 0 : count) }

    var pointer: UnsafeMutablePointer<UInt8> { memory ?? Self.nothing }

    // Never written to: it stands for the place of no bytes.
    nonisolated(unsafe) static let nothing: UnsafeMutablePointer<UInt8> = {
        let place = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        place.initialize(to: 0)
        return place
    }()
}
