import Glibc

/// Written lines on their way from the supervision thread to the writer's: bounded, never blocking for the one who puts.
///
/// Unchecked Sendable holds because every stored value is touched only between `lock()` and `unlock()`.
final class LogQueue: @unchecked Sendable {
    struct Batch {
        /// Complete lines with their ends, by file, in order.
        var lines: [String: [[UInt8]]] = [:]
        /// Lines by file that found the queue full since the last batch.
        var dropped: [String: Int] = [:]
    }

    private let maxBytes: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var batch = Batch()
    private var bytes = 0
    private var closed = false
    private var finished = false
    private var report = LogWriterReport()

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Caller's side: takes the line or counts it as dropped; gives what the writer has to say.
    func put(_ line: [UInt8], file: String) -> LogWriterReport {
        locked {
            if closed || bytes + line.count > maxBytes {
                batch.dropped[file, default: 0] += 1
                report.dropped += 1
            } else {
                batch.lines[file, default: []].append(line)
                bytes += line.count
                pthread_cond_signal(changed)
            }
            return report
        }
    }

    var currentReport: LogWriterReport { locked { report } }

    /// Writer's side: waits for something to do; nil when closed and empty.
    func take() -> Batch? {
        locked {
            while batch.lines.isEmpty, !closed { pthread_cond_wait(changed, mutex) }
            guard !batch.lines.isEmpty || !batch.dropped.isEmpty else { return nil }
            defer {
                batch = Batch()
                bytes = 0
            }
            return batch
        }
    }

    /// Writer's side: what became of a batch.
    func settle(_ change: (inout LogWriterReport) -> Void) {
        locked { change(&report) }
    }

    func writerHasFinished() {
        locked {
            finished = true
            pthread_cond_broadcast(changed)
        }
    }

    /// No line is taken any more; waits until all that were are on the disk. False when that takes too long.
    func close(within seconds: Double) -> Bool {
        var limit = timespec()
        clock_gettime(CLOCK_MONOTONIC, &limit)
        let nanoseconds = Int(limit.tv_nsec) + Int(seconds * 1e9)
        limit.tv_sec += nanoseconds / 1_000_000_000
        limit.tv_nsec = nanoseconds % 1_000_000_000
        return locked {
            closed = true
            pthread_cond_broadcast(changed)
            while !finished {
                if pthread_cond_timedwait(changed, mutex, &limit) == ETIMEDOUT { return finished }
            }
            return true
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

/// What the writer did: written + lost + dropped + waiting = all lines that were put.
public struct LogWriterReport: Sendable, Equatable {
    /// Lines on the disk.
    public internal(set) var written = 0
    /// Lines that the disk did not take.
    public internal(set) var lost = 0
    /// Lines that came while the queue was full.
    public internal(set) var dropped = 0
    /// Why the disk takes nothing at present; nil when it does.
    public internal(set) var failure: LogFileError?
}
