internal import CJSC
internal import Synchronization

/// Asks a running context to stop; any thread may.
public final class Interrupt: Sendable {
    private let wanted = Atomic(false)

    public func request() { wanted.store(true, ordering: .relaxed) }

    func take() -> Bool { wanted.exchange(false, ordering: .relaxed) }
}

/// Looks, every 50 ms of CPU time that a call into JavaScript takes, whether that call should end. Loops end; a native
/// call that blocks, or an endless chain of microtasks, is not seen by the engine.
final class ExecutionLimiter {
    private static let slice = 0.05
    private unowned let engine: JSEngineHost
    private let limit: Duration?
    private var slices = 0
    private var termination: JSError?

    init(of engine: JSEngineHost, limit: Duration?) {
        self.engine = engine
        self.limit = limit
        arm()
    }

    func begin() { slices = 0 }

    /// The reason of the termination that has just happened, once.
    func takeTermination() -> JSError? {
        defer { termination = nil }
        return termination
    }

    @discardableResult
    private func arm() -> Bool {
        chj_set_execution_time_limit(
            engine.group, Self.slice,
            { context, limiter in
                guard let context, let limiter else { return false }
                return Unmanaged<ExecutionLimiter>.fromOpaque(limiter).takeUnretainedValue().shouldTerminate(context)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func shouldTerminate(_ context: JSContextRef) -> Bool {
        slices += 1
        let interrupted = engine.interrupt.take()
        let tooLong = limit.map { .milliseconds(50 * slices) >= $0 } ?? false
        arm()
        guard interrupted || tooLong else { return false }
        var stack: String?
        if let trace = chj_backtrace(context, 50) {
            stack = String(jsString: trace)
            JSStringRelease(trace)
        }
        termination = JSError(
            name: "Terminated",
            message: interrupted ? "interrupted" : "ran longer than \(limit.map { "\($0)" } ?? "allowed")",
            stack: stack)
        return true
    }

    func remove() { chj_set_execution_time_limit(engine.group, .infinity, nil, nil) }
}

extension JSEngineHost {
    /// From now on `interrupt.request()` ends what is running, within about 50 ms of its CPU time, and so does a single
    /// call that takes more than `limit` of CPU time. The call throws a `JSError` named `Terminated` with the stack of
    /// the loop; JavaScript cannot catch it.
    public func allowInterrupts(limit: Duration? = nil) {
        limiter = ExecutionLimiter(of: self, limit: limit)
    }
}
