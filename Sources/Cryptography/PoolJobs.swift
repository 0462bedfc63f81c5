internal import CSystem
internal import Glibc
internal import Synchronization

struct PoolJob: Sendable {
    let isLong: Bool
    let run: @Sendable () -> Void
}

/// What a pool's threads have to do: short jobs first, then long ones, each in the order in which they came.
///
/// Unchecked: the semaphore's memory is fixed, and the C functions on it are made for several threads.
final class PoolJobs: @unchecked Sendable {
    private struct State {
        var short: [PoolJob] = []
        var long: [PoolJob] = []
        var isClosed = false

        mutating func takeShort() -> PoolJob? { short.isEmpty ? nil : short.removeFirst() }
        mutating func take() -> PoolJob? { takeShort() ?? (long.isEmpty ? nil : long.removeFirst()) }
    }

    private let state = Mutex(State())
    private let arrived = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(arrived, 0, 0) }

    deinit {
        sem_destroy(arrived)
        arrived.deallocate()
    }

    /// Jobs that wait for a thread.
    var count: Int { state.withLock { $0.short.count + $0.long.count } }

    func add(_ job: PoolJob) {
        state.withLock { state in
            if job.isLong { state.long.append(job) } else { state.short.append(job) }
        }
        sem_post(arrived)
    }

    /// Gives up what waits, and lets so many threads end.
    func close(wake threads: Int) {
        state.withLock { $0 = State(isClosed: true) }
        for _ in 0..<threads { sem_post(arrived) }
    }

    /// A thread's life.
    func work(named name: String, niceness: Int32) {
        chs_set_thread_name(name)
        // Of this thread alone, as Linux has it. Where it is refused, the thread works at the usual priority.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        while true {
            while sem_wait(arrived) == -1 && errno == EINTR {}
            let (job, isClosed) = state.withLock { ($0.take(), $0.isClosed) }
            if isClosed { return }
            // A long job may have done the one that this thread was woken for.
            job?.run()
        }
    }

    /// In the midst of a long job: does the short ones that came meanwhile; throws once closed.
    func pause() throws(CryptorError) {
        while true {
            let (job, isClosed) = state.withLock { ($0.takeShort(), $0.isClosed) }
            if isClosed { throw .stopped }
            guard let job else { return }
            job.run()
        }
    }
}
