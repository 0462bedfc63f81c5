internal import CUV

extension Loop {
    /// Runs `body` on one of libuv's worker threads and `done` with its result back on this loop. For what may wait: disks,
    /// name look-ups, long computations.
    public func work<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result, done: @escaping (Result) -> Void
    ) {
        requireCurrent()
        let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(Work(body, done)).toOpaque()
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

private class AnyWork {
    func perform() {}
    func finish() {}
}

/// Written by the worker in `perform`, read by the loop in `finish`: libuv orders the two.
private final class Work<Result: Sendable>: AnyWork {
    private let body: @Sendable () -> Result
    private let done: (Result) -> Void
    private var result: Result?

    init(_ body: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void) {
        self.body = body
        self.done = done
    }

    override func perform() { result = body() }

    override func finish() {
        guard let result else { preconditionFailure("work finished before it was performed") }
        done(result)
    }
}
