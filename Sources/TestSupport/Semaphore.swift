internal import Glibc

/// A POSIX semaphore: threads of tests wait for each other's news with it.
public final class Semaphore: @unchecked Sendable {
    // Unchecked: the semaphore's memory is fixed, and the C functions on it are made for several threads.
    private let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    public init(_ value: UInt32 = 0) { sem_init(raw, 0, value) }

    deinit {
        sem_destroy(raw)
        raw.deallocate()
    }

    public func post() { sem_post(raw) }

    public func wait() { while sem_wait(raw) == -1 && errno == EINTR {} }
}
