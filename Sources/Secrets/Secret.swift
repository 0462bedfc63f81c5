internal import Glibc

/// A password on its way, in memory of its own: kept out of swap and of core dumps where the system allows that,
/// overwritten when nobody holds it any more. Nothing that prints or compares values shows what it is.
///
/// `@unchecked`: the bytes are written in `init` alone.
public final class Secret: @unchecked Sendable {
    /// Bytes; far beyond what people type, and what a key derivation takes in at once.
    public static let maxBytes = 1024

    private let memory: UnsafeMutableRawPointer
    public let count: Int

    public enum Failure: Error, Equatable, CustomStringConvertible {
        case tooLong
        case noMemory(errno: Int32)

        public var description: String {
            switch self {
            case .tooLong: "is longer than \(Secret.maxBytes) bytes; use a shorter one"
            case .noMemory(let code): "found no memory: \(String(cString: strerror(code)))"
            }
        }
    }

    /// Copies `bytes`, which stay the caller's to overwrite.
    public init(copying bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard bytes.count <= Self.maxBytes else { throw .tooLong }
        // A mapping of its own, because locks and advice are a page's.
        let memory = mmap(nil, Self.maxBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .noMemory(errno: errno) }
        self.memory = memory
        count = bytes.count
        // Both can be refused, by RLIMIT_MEMLOCK and by old kernels: the password is then as safe as other memory.
        mlock(memory, Self.maxBytes)
        madvise(memory, Self.maxBytes, MADV_DONTDUMP)
        if let base = bytes.baseAddress { memcpy(memory, base, bytes.count) }
    }

    public convenience init(_ text: String) throws(Failure) {
        var bytes = Array(text.utf8)
        defer { bytes.withUnsafeMutableBytes { Self.overwrite($0) } }
        try self.init(copying: bytes.withUnsafeBytes { UnsafeRawBufferPointer($0) })
    }

    /// Where its mapping begins.
    var address: UInt { UInt(bitPattern: memory) }

    deinit {
        explicit_bzero(memory, Self.maxBytes)
        munmap(memory, Self.maxBytes)
    }

    /// The one way to what it is. UTF-8 that is damaged comes with U+FFFD.
    public var text: String {
        String(decoding: UnsafeRawBufferPointer(start: memory, count: count), as: UTF8.self)
    }

    /// Overwrites what held a secret; the compiler does not leave that out.
    public static func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
        if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
    }
}

extension Secret: Equatable {
    /// In a time that does not depend on where they differ.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        let (a, b) = (
            UnsafeRawBufferPointer(start: left.memory, count: left.count),
            UnsafeRawBufferPointer(start: right.memory, count: right.count)
        )
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
