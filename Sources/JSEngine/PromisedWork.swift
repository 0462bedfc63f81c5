public import EventLoop
internal import Glibc
internal import Synchronization

/// Work of one context's ports that may wait: done on worker threads, answered by promises on the loop, and over before
/// the context is, because it lets go of promises and of JavaScript's bytes when it is closed.
public final class PromisedWork {
    private struct Pending {
        let promise: JSPromise
        /// JavaScript's bytes that a worker may be reading.
        let kept: JSReference?
        let line: Line?
    }

    /// Work that is done one after the other, in the order in which it was asked for.
    public final class Line {
        /// What starts each, told whether it may be answered at once.
        fileprivate var waiting: [(Bool) -> Void] = []
        fileprivate var isBusy = false
        fileprivate var isAdvancing = false

        /// Nothing is under way and nothing waits.
        public var isIdle: Bool { !isBusy && waiting.isEmpty }

        public init() {}
    }

    /// How long work takes where nothing has to be waited for.
    public enum Time {
        /// Microseconds: the lane's.
        case short
        /// As long as so many bytes take to be copied: the lane's too.
        case copying(bytes: Int)
        /// It waits for the disk whatever it finds: a worker's.
        case long

        /// Nanoseconds for which the lane's result is looked out for.
        fileprivate var patience: UInt64? {
            switch self {
            case .short: 20_000
            // Memory is copied at some 8 GB/s.
            case .copying(let bytes): 20_000 + UInt64(min(bytes, 1 << 20)) / 8
            case .long: nil
            }
        }
    }

    private let loop: Loop
    private let lane: Lane?
    private let gate = Gate()
    private var pending: [Int: Pending] = [:]
    private var lastNumber = 0

    /// - Parameter lane: for work that mostly ends at once; closed with this.
    public init(loop: Loop, lane: Lane? = nil) {
        self.loop = loop
        self.lane = lane
    }

    deinit { close() }

    /// A promise for `answer` of what `body` gives on a worker thread, or for the exception of what it throws.
    public func run<Value: Sendable>(
        on engine: JSEngineHost, in line: Line? = nil, keeping kept: JSValue? = nil, takes time: Time = .short,
        _ body: @escaping @Sendable () throws -> Value, answer: @escaping (JSEngineHost, Value) -> JSValue
    ) -> JSValue {
        let promise = engine.makePromise()
        lastNumber += 1
        let number = lastNumber
        pending[number] = Pending(promise: promise, kept: kept.map { JSReference($0) }, line: line)
        let start = { [weak self] (mayBeAnswered: Bool) in
            guard let self else { return }
            let passed: @Sendable () -> Result<Value, any Error>? = { [gate] in gate.pass(body) }
            let done = { [weak self] in self?.finish(number, line, $0, answer) ?? () }
            guard mayBeAnswered, let lane, let patience = time.patience else { return loop.work(passed, done: done) }
            if let result = lane.run(patience: patience, passed, done: done) { done(result) }
        }
        guard let line else {
            start(true)
            return promise.value
        }
        line.waiting.append(start)
        advance(line)
        return promise.value
    }

    /// The same for what nobody waits for. Not done where this is closed before.
    public func runUnanswered(_ body: @escaping @Sendable () -> Void) {
        loop.work({ [gate] in gate.pass(body) }, done: { _ in })
    }

    /// Waits for the workers that are at it and gives up the rest. Nothing is answered any more.
    public func close() {
        gate.close()
        lane?.close()
        // What waits in a line may hold open files.
        for work in pending.values { work.line?.waiting = [] }
        pending = [:]
    }

    private func finish<Value>(
        _ number: Int, _ line: Line?, _ result: Result<Value, any Error>?, _ answer: (JSEngineHost, Value) -> JSValue
    ) {
        guard let result, let promise = pending.removeValue(forKey: number)?.promise else { return }
        if let line {
            line.isBusy = false
            advance(line)
        }
        switch result {
        case .success(let value): promise.resolve { answer($0, value) }
        case .failure(let error as any ExceptionConvertible): promise.reject(error.exception)
        case .failure(let error): promise.reject(error)
        }
    }

    /// Some are answered at once; after those the loop gets its turn.
    private func advance(_ line: Line) {
        guard !line.isAdvancing else { return }
        line.isAdvancing = true
        defer { line.isAdvancing = false }
        var atOnce = 16
        while !line.isBusy, !line.waiting.isEmpty {
            line.isBusy = true
            line.waiting.removeFirst()(atOnce > 0)
            atOnce -= 1
        }
    }
}

/// An error that is an exception object in JavaScript.
public protocol ExceptionConvertible: Error {
    var exception: RuntimeException { get }
}

/// Lets workers through until it is closed, and closing waits for those inside.
private final class Gate: @unchecked Sendable {
    // Unchecked: the semaphore's memory is fixed, and the C functions on it are made for several threads.
    private let isEmpty = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let state = Mutex((inside: 0, isClosed: false))

    init() { sem_init(isEmpty, 0, 0) }

    deinit {
        sem_destroy(isEmpty)
        isEmpty.deallocate()
    }

    /// Nil once closed.
    func pass<Value>(_ body: () throws -> Value) -> Result<Value, any Error>? {
        let mayEnter = state.withLock { state in
            if !state.isClosed { state.inside += 1 }
            return !state.isClosed
        }
        guard mayEnter else { return nil }
        defer {
            let isLast = state.withLock { state in
                state.inside -= 1
                return state.isClosed && state.inside == 0
            }
            if isLast { sem_post(isEmpty) }
        }
        return Result { try body() }
    }

    func close() {
        let mustWait = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed && state.inside > 0
        }
        if mustWait { while sem_wait(isEmpty) == -1 && errno == EINTR {} }
    }
}
