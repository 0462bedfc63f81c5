internal import Glibc

/// Bytes from `malloc` on their way to the engine, which takes them without a copy.
///
/// Unchecked: a worker fills them, then the loop's thread takes them; there is never more than one that uses them.
final class ConfinedBytes: @unchecked Sendable {
    private(set) var count = 0
    private var capacity: Int
    private var memory: UnsafeMutableRawPointer?

    init(capacity: Int, _ path: String) throws(ConfinedFailure) {
        self.capacity = max(1, capacity)
        memory = malloc(self.capacity)
        if memory == nil { throw ConfinedFailure(errno: ENOMEM, path: path) }
    }

    deinit { free(memory) }

    var start: UnsafeRawPointer? { memory.map { UnsafeRawPointer($0) } }

    /// The receiver must free it.
    func take() -> UnsafeMutableRawPointer? {
        defer { memory = nil }
        return memory
    }

    /// Reads from `offset` of a file up to its end, or up to `most` bytes. A file that grows meanwhile is read to its new
    /// end; one that grows beyond `most` is read so far.
    func fill(from file: Int32, at offset: Int = 0, most: Int, _ path: String) throws(ConfinedFailure) {
        while count < most {
            if count == capacity { try grow(most: most, path) }
            let room = UnsafeMutableRawBufferPointer(start: memory, count: capacity)[count...]
            let wanted = min(room.count, most - count)
            let place = UnsafeMutableRawBufferPointer(rebasing: room).baseAddress
            let position = offset + count
            let got = try confinedCall(path) { pread(file, place, wanted, position) }
            if got == 0 { return }
            count += got
        }
    }

    private func grow(most: Int, _ path: String) throws(ConfinedFailure) {
        let larger = min(most, max(capacity * 2, 4096))
        guard let moved = realloc(memory, larger) else { throw ConfinedFailure(errno: ENOMEM, path: path) }
        memory = moved
        capacity = larger
    }
}

/// JavaScript's memory, to be filled by a worker; a `JSReference` keeps it until that is done.
///
/// Unchecked: JavaScript may use the bytes meanwhile, as it may with any asynchronous read; only system calls write there,
/// and those refuse memory that has gone.
struct ConfinedRoom: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = UnsafeMutableRawBufferPointer(mutating: bytes) }
}

/// Bytes that JavaScript gave to be written.
enum ConfinedContent: Sendable {
    case copied([UInt8])
    /// In JavaScript's memory, which a `JSReference` keeps; JavaScript may change them while they are being written.
    case inPlace(Place)

    /// Unchecked: only read, and what it points to stays until the work is done.
    struct Place: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
    }

    /// Above this many bytes a copy costs the core's thread more than keeping a reference.
    private static let mostCopied = 64 << 10

    init(_ bytes: UnsafeRawBufferPointer) {
        self = bytes.count > Self.mostCopied ? .inPlace(Place(bytes: bytes)) : .copied(Array(bytes))
    }

    var isInPlace: Bool {
        if case .inPlace = self { true } else { false }
    }

    var count: Int {
        switch self {
        case .copied(let bytes): bytes.count
        case .inPlace(let place): place.bytes.count
        }
    }

    func withBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(ConfinedFailure) -> Value
    ) throws(ConfinedFailure) -> Value {
        switch self {
        case .inPlace(let place): return try body(place.bytes)
        case .copied(let array):
            let result = array.withUnsafeBytes { bytes in
                Result { () throws(ConfinedFailure) in try body(bytes) }
            }
            return try result.get()
        }
    }
}
