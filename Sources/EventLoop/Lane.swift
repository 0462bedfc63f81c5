internal import CSystem
internal import CUV
internal import Glibc
internal import Synchronization

/// One thread for work that may wait but mostly ends within microseconds, as looking up a name does. The way to a libuv
/// worker and back is two wake-ups of sleeping threads, ten times what such work takes. Here, while pieces follow each
/// other closely, the thread looks out for the next one before it sleeps, and the loop for the result before it goes on;
/// both for a short time that is bounded. Work that is given while the thread is busy is done by libuv's workers.
public final class Lane {
    private let loop: Loop
    private let slot: Slot
    private let late = Mailbox<AnyWork>()
    private let thread: Thread
    private var isClosed = false

    /// On the loop's thread, as every other member.
    public init(on loop: Loop) throws(UVError) {
        loop.requireCurrent()
        self.loop = loop
        let slot = Slot(watching: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1)
        self.slot = slot
        try late.open(on: loop) { work in
            slot.resultCame()
            work.finish()
        }
        do {
            thread = try Thread(stackBytes: 512 << 10) { [late] in
                chs_set_thread_name("lane")
                slot.serve { late.send($0) }
            }
        } catch {
            late.close()
            throw error
        }
    }

    /// Runs `body` on the lane's thread or on one of libuv's workers. Its result, if that is there within `patience`; else
    /// nil, and `done` gets it on the loop, unless the lane is closed before.
    ///
    /// - Parameter patience: nanoseconds, what such work takes where nothing has to be waited for.
    public func run<Result: Sendable>(
        patience: UInt64, _ body: @escaping @Sendable () -> Result, done: @escaping (Result) -> Void
    ) -> Result? {
        loop.requireCurrent()
        let work = Work(body, done)
        guard slot.post(work) else {
            loop.work(work)
            return nil
        }
        return slot.awaitResult(patience: patience) ? work.takeResult() : nil
    }

    /// Waits for what the thread is doing. Nothing is answered any more. Once; repeated it is harmless.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        slot.end()
        thread.join()
        late.close()
    }
}

/// What the loop and the thread share: one piece of work, and who has it. Between two looks the clock is read: many `pause`
/// instructions in a row are where a hypervisor takes the processor away.
private final class Slot: @unchecked Sendable {
    // Unchecked: `work` belongs to whom `state` says, and the C functions on the semaphore are made for several threads.

    private enum State {
        /// Nothing here; the loop may post.
        static let free: UInt8 = 0
        /// Posted, and the loop looks out for the result.
        static let posted: UInt8 = 1
        /// Posted, and the result goes by the mailbox.
        static let left: UInt8 = 2
        /// The result is there, for the loop to take.
        static let done: UInt8 = 3
    }

    /// Work that is posted within so many nanoseconds after the last result follows it closely.
    private static let close: UInt64 = 100_000
    /// How long the thread looks out for what may follow closely. The last result may be on its way for longer than work
    /// takes, where processors are busy.
    private static let threadPatience: UInt64 = 1_000_000

    private let state = Atomic<UInt8>(State.free)
    private let isAsleep = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)
    private let wake = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private var work: Unmanaged<AnyWork>?
    private var followsClosely = false
    /// The loop's own: when it had the last result.
    private var lastResult: UInt64 = 0
    /// Not on a machine with one processor, where looking out keeps the other side from running.
    private let watching: Bool

    init(watching: Bool) {
        self.watching = watching
        sem_init(wake, 0, 0)
    }

    deinit {
        sem_destroy(wake)
        wake.deallocate()
    }

    // MARK: The loop's side

    /// False while an earlier piece is under way.
    func post(_ work: AnyWork) -> Bool {
        guard state.load(ordering: .acquiring) == State.free else { return false }
        self.work = .passRetained(work)
        followsClosely = uv_hrtime() - lastResult < Self.close
        state.store(State.posted, ordering: .sequentiallyConsistent)
        return true
    }

    /// Whether the result of what was posted came soon. If the thread sleeps, it does not: then it is woken.
    func awaitResult(patience: UInt64) -> Bool {
        let mustWake = isAsleep.load(ordering: .sequentiallyConsistent)
        if watching, !mustWake {
            let limit = uv_hrtime() + patience
            repeat {
                if state.load(ordering: .acquiring) == State.done { return take() }
            } while uv_hrtime() < limit
        }
        let (left, _) = state.compareExchange(
            expected: State.posted, desired: State.left, ordering: .sequentiallyConsistent)
        if mustWake { sem_post(wake) }
        return left ? false : take()
    }

    private func take() -> Bool {
        work?.release()
        work = nil
        resultCame()
        state.store(State.free, ordering: .releasing)
        return true
    }

    func resultCame() { lastResult = uv_hrtime() }

    func end() {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        sem_post(wake)
    }

    // MARK: The thread's side

    func serve(_ deliver: (AnyWork) -> Void) {
        var isBurst = false
        while waitForWork(lookingOut: isBurst) {
            isBurst = followsClosely
            guard let work else { preconditionFailure("nothing was posted") }
            work.takeUnretainedValue().perform()
            let (isTaken, _) = state.compareExchange(
                expected: State.posted, desired: State.done, ordering: .sequentiallyConsistent)
            if isTaken { continue }
            self.work = nil
            state.store(State.free, ordering: .releasing)
            deliver(work.takeRetainedValue())
        }
    }

    /// False at the end.
    private func waitForWork(lookingOut: Bool) -> Bool {
        if lookingOut, watching {
            let limit = uv_hrtime() + Self.threadPatience
            repeat {
                if isPosted { return true }
            } while uv_hrtime() < limit
        }
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        defer { isAsleep.store(false, ordering: .sequentiallyConsistent) }
        // What was posted before `isAsleep` could be seen is found here; what is posted later posts the semaphore.
        while !isPosted {
            if isEnding.load(ordering: .sequentiallyConsistent) { return false }
            sem_wait(wake)
        }
        return true
    }

    private var isPosted: Bool {
        let seen = state.load(ordering: .sequentiallyConsistent)
        return seen == State.posted || seen == State.left
    }
}
