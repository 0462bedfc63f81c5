internal import EventLoop
internal import JSEngine

/// The way into the core's context.
extension CoreHost {
    /// For calls that are done with what the machine itself has.
    static let usualLimit = Duration.seconds(10)

    func call(_ name: String, _ argument: JSValue) throws(CoreError) -> JSValue {
        if let error = faults?.error(ofCall: name) { throw .thrown(call: name, error) }
        do throws(JSError) {
            return try engine.call(engine.global["__coreCall"], [engine.string(name), argument])
        } catch {
            throw .thrown(call: name, error)
        }
    }

    /// - Parameter limit: after which a call without an answer is told of; nobody waits for it.
    func callAsync(
        _ name: String, _ argument: JSValue, limit: Duration? = CoreHost.usualLimit,
        done settled: @escaping (Result<JSValue, CoreError>) -> Void
    ) {
        let number = beginCall(name, limit)
        let done = { [tell] (result: Result<JSValue, CoreError>) in
            if let number { tell(.callEnded(number)) }
            settled(result)
        }
        if let error = faults?.error(ofCall: name) {
            engine.loop.atNextTurn { done(.failure(.thrown(call: name, error))) }
            return
        }
        let fulfilled = engine.makeFunction { arguments in
            done(.success(arguments[0]))
            return nil
        }
        let rejected = engine.makeFunction { arguments in
            done(.failure(.thrown(call: name, JSError(arguments[0]))))
            return nil
        }
        do throws(JSError) {
            // In one call: what is rejected at once must not be unhandled for a moment.
            let ask = try engine.evaluate(
                "(call, name, arg, fulfilled, rejected) => { call(name, arg).then(fulfilled, rejected); }",
                sourceName: "js/ask")
            let call = engine.global["__coreCallAsync"]
            _ = try engine.call(ask, [call, engine.string(name), argument, fulfilled, rejected])
        } catch {
            done(.failure(.thrown(call: name, error)))
        }
    }

    func object(_ texts: [String: String]) -> JSValue {
        let object = engine.makeObject()
        for (key, text) in texts { object.set(key, engine.string(text)) }
        return object
    }

    static func text(_ value: JSValue, of call: String) -> Result<String, CoreError> {
        value.string.map { .success($0) } ?? .failure(.badAnswer(call: call, value.text ?? "something unreadable"))
    }
}
