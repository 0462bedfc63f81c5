public import EventLoop
public import JSEngine
internal import Synchronization

/// The one thread of a test process that owns JavaScript: the engine's main thread is a process-wide thing.
public final class EngineThread: Sendable {
    public static let shared = EngineThread()

    private let jobs = Mutex<[@Sendable (Loop) -> Void]>([])
    private let arrived = Semaphore()

    private init() {
        do {
            _ = try Thread { [self] in
                // One loop for all tests: the engine's run loop stays with the thread's first GLib context.
                guard let loop = try? Loop(pumpingGLib: true) else { fatalError("no loop for JavaScript") }
                while true {
                    arrived.wait()
                    let job = jobs.withLock { $0.removeFirst() }
                    job(loop)
                }
            }
        } catch {
            fatalError("no thread for JavaScript: \(error)")
        }
    }

    /// Runs `body` there and waits for it.
    public func run<Value: Sendable>(_ body: @escaping @Sendable (Loop) throws -> Value) throws -> Value {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let done = Semaphore()
        jobs.withLock { jobs in
            jobs.append { loop in
                let outcome = Result { try body(loop) }
                result.withLock { $0 = outcome }
                done.post()
            }
        }
        arrived.post()
        done.wait()
        guard let outcome = result.withLock({ $0 }) else { preconditionFailure("the job left no result") }
        return try outcome.get()
    }
}

/// What a test's context wrote and left uncaught.
public final class EngineLog {
    public var console: [(level: ConsoleLevel, text: String)] = []
    public var uncaught: [(kind: UncaughtKind, error: JSError)] = []
    public var lines: [String] { console.map(\.text) }
}

/// Runs `body` with a fresh context on the engine's thread; the context, with a dispatcher over the common ports and
/// whatever `ports` registers, is closed afterwards.
public func withEngine<Value: Sendable>(
    label: String = "test", ports: @escaping @Sendable (JSEngineHost) -> Void = { _ in },
    _ body: @escaping @Sendable (JSEngineHost, EngineLog) throws -> Value
) throws -> Value {
    try EngineThread.shared.run { loop in
        let log = EngineLog()
        let engine = JSEngineHost(
            label: label, loop: loop, console: { log.console.append(($0, $1)) },
            uncaught: { log.uncaught.append(($0, $1)) })
        engine.registerCommonPorts()
        ports(engine)
        engine.installDispatcher()
        defer { engine.close() }
        return try body(engine, log)
    }
}

extension JSEngineHost {
    /// Turns the loop until `condition` holds; false when `limit` has passed first.
    public func turn(until condition: () -> Bool, limit: Duration = .seconds(20)) -> Bool {
        var expired = false
        let timer = Timer(on: loop)
        timer.start(after: limit) { expired = true }
        defer { timer.close() }
        while !condition() && !expired { loop.runOnce() }
        return condition()
    }

    /// Evaluates `script`, an expression that gives a promise or a value, and turns the loop until it is settled: its
    /// JSON, or `undefined`. Throws what it throws or is rejected with.
    public func settle(_ script: String, limit: Duration = .seconds(20)) throws -> String {
        var outcome: Result<String, JSError>?
        whenSettled(try evaluate(script, sourceName: "test.js")) { result in
            outcome = result.map { $0.json ?? "undefined" }.mapError { JSError($0.value) }
            // A turn that begins with the timer that settles it would go on to wait for the next one, the limit.
            self.loop.stop()
        }
        guard turn(until: { outcome != nil }, limit: limit), let outcome else {
            throw JSError(name: "Timeout", message: "not settled: \(script)")
        }
        return try outcome.get()
    }

    /// Calls `done` when `value`, a promise, is settled; with the value itself, later in this turn, if it is none.
    private func whenSettled(_ value: JSValue, _ done: @escaping (Result<JSValue, JSThrow>) -> Void) {
        let then = value["then"]
        guard value.isObject, then.isFunction else {
            done(.success(value))
            return
        }
        let fulfilled = makeFunction { arguments in
            done(.success(arguments[0]))
            return nil
        }
        let rejected = makeFunction { arguments in
            done(.failure(JSThrow(arguments[0])))
            return nil
        }
        do {
            _ = try call(then, this: value, [fulfilled, rejected])
        } catch {
            done(.failure(JSThrow(makeError(error.message))))
        }
    }
}
