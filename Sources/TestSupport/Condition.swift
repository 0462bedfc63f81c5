internal import CSystem
internal import Glibc

/// Wakes threads that wait for something to become true.
final class Condition: @unchecked Sendable {
    // Unchecked: both objects stay where they are, and the C functions on them are made for several threads.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func signalAll() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// False when `limit` has passed before `isTrue` was.
    func wait(within limit: Duration, until isTrue: () -> Bool) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += Int(limit.components.seconds)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isTrue() {
            if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return isTrue() }
        }
        return true
    }
}
