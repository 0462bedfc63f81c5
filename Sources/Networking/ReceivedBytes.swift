internal import Glibc

/// The body of a reply in one block of memory, which grows as it comes in.
public final class ReceivedBytes {
    private static let least = 16384
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    public private(set) var count = 0

    init() {}

    deinit { free(memory) }

    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// The memory, from `malloc`, to be freed by the caller from now on; nil for no bytes.
    public func takeMemory() -> UnsafeMutableRawPointer? {
        defer {
            memory = nil
            capacity = 0
            count = 0
        }
        guard count > 0 else {
            free(memory)
            return nil
        }
        // What was taken in advance goes back; a block that stays where it is costs nothing.
        if capacity > count, let fitting = realloc(memory, count) { memory = fitting }
        return memory
    }

    /// Room for exactly `count` bytes in all. False when there is no memory for them.
    func reserve(_ count: Int) -> Bool {
        guard count > capacity else { return true }
        guard let larger = realloc(memory, count) else { return false }
        memory = larger
        capacity = count
        return true
    }

    /// Free room at the end, at least one byte and at most up to `limit` bytes in all; nil when there is no memory.
    func room(upTo limit: Int) -> UnsafeMutableRawBufferPointer? {
        if count == capacity, !reserve(min(limit, max(Self.least, capacity * 2))) { return nil }
        return memory.map { UnsafeMutableRawBufferPointer(start: $0 + count, count: min(limit, capacity) - count) }
    }

    func filled(_ more: Int) { count += more }
}
