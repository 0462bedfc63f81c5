internal import CUV

extension Loop {
    /// Runs `body` on one of libuv's worker threads and `done` with its result back on this loop. For what may wait: disks,
    /// name look-ups, long computations.
    public func work<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result, done: @escaping (Result) -> Void
    ) {
        requireCurrent()
        work(Work(body, done))
    }

    func work(_ work: AnyWork) {
        let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(work).toOpaque()
        let code = uv_queue_work(
            raw, request,
            { request in
                guard let data = request?.pointee.data else { return }
                Unmanaged<AnyWork>.fromOpaque(data).takeUnretainedValue().perform()
            },
            { request, status in
                guard let request, let data = request.pointee.data else { return }
                let work = Unmanaged<AnyWork>.fromOpaque(data).takeRetainedValue()
                request.deallocate()
                precondition(status == 0, "work was cancelled, which nobody does")
                work.finish()
            })
        precondition(code == 0, "uv_queue_work failed with \(code)")
    }
}

class AnyWork: @unchecked Sendable {
    // Unchecked: one thread performs, then the loop's finishes; what hands it over orders the two.

    func perform() {}
    func finish() {}
}

final class Work<Result: Sendable>: AnyWork, @unchecked Sendable {
    private let body: @Sendable () -> Result
    /// Let go of on the loop's thread, with all that it holds.
    private var done: ((Result) -> Void)?
    private var result: Result?

    init(_ body: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void) {
        self.body = body
        self.done = done
    }

    override func perform() { result = body() }

    override func finish() {
        let done = done
        done?(takeResult())
    }

    /// On the loop's thread, once, in place of `finish`.
    func takeResult() -> Result {
        done = nil
        guard let result else { preconditionFailure("work finished before it was performed") }
        return result
    }
}
