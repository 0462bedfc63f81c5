internal import Control
internal import EventLoop
internal import Glibc
internal import Supervision
internal import Synchronization

/// Something for the run, with the moment at which it came.
struct Delivery: Sendable {
    let event: ChaosRun.Event
    let at: Instant
}

extension Instant {
    /// Now, by the clock that the loop has.
    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

/// One thread with one connection, which asks one thing after the other.
final class Worker: Sendable {
    typealias Job = @Sendable (Line) -> Void

    /// A worker's connection.
    final class Line {
        private let path: String
        private let reconnects: Bool
        private var client: ControlClient?

        init(_ path: String, reconnects: Bool) throws(ControlError) {
            self.path = path
            self.reconnects = reconnects
            client = try ControlClient(path: path)
        }

        func ask<Reply: JSONShape>(
            _ request: ControlRequest, as reply: Reply.Type, within limit: Duration
        ) throws(ControlError) -> Reply {
            let client: ControlClient
            if let open = self.client {
                client = open
            } else {
                client = try ControlClient(path: path)
                self.client = client
            }
            do throws(ControlError) {
                return try client.ask(request, as: reply, within: limit)
            } catch {
                // The connection may be what is broken: the next question has a new one.
                if reconnects, error.exitCode == .failed { self.client = nil }
                throw error
            }
        }
    }

    private let queue = JobQueue()

    /// - Parameters:
    ///   - reconnects: false where the connection's end means something to the supervisor.
    ///   - first: asked on the new connection.
    init(
        _ path: String, reconnects: Bool = true,
        first: @escaping @Sendable (Line) throws(ControlError) -> Void = { _ in }
    ) throws {
        let opened = Mutex<Result<Void, ControlError>?>(nil)
        let ready = JobQueue()
        let queue = queue
        _ = try Thread(stackBytes: 1 << 20) {
            do throws(ControlError) {
                let line = try Line(path, reconnects: reconnects)
                try first(line)
                ready.give { _ in }
                while let job = queue.take() { job(line) }
            } catch {
                opened.withLock { $0 = .failure(error) }
                ready.give { _ in }
            }
        }
        _ = ready.take()
        try opened.withLock { $0 }?.get()
    }

    func give(_ job: @escaping Job) { queue.give(job) }

    /// After what it was given, its connection ends.
    func close() { queue.close() }
}

/// Jobs that wait for a thread.
private final class JobQueue: @unchecked Sendable {
    // Unchecked: the C functions on the semaphore are made for several threads.
    private let jobs = Mutex<[Worker.Job?]>([])
    private let count = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(count, 0, 0) }

    deinit {
        sem_destroy(count)
        count.deallocate()
    }

    func give(_ job: @escaping Worker.Job) { put(job) }

    func close() { put(nil) }

    private func put(_ job: Worker.Job?) {
        jobs.withLock { $0.append(job) }
        sem_post(count)
    }

    /// Nil once it is closed.
    func take() -> Worker.Job? {
        while sem_wait(count) != 0 {}
        return jobs.withLock { $0.removeFirst() }
    }
}
