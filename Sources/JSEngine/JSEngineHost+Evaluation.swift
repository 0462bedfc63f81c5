public import EventLoop

/// What became of a text that somebody outside had evaluated.
public enum EvaluationOutcome: Sendable, Equatable {
    /// JSON where there is a form of the value in it, else its text.
    case value(String)
    /// It could not be parsed, it threw, its promise was rejected, or it was ended; in words.
    case failed(String)
}

extension JSEngineHost {
    /// Bytes of an outcome, without the mark of a cut.
    public static let evaluationBound = 64 << 10

    /// Evaluates a script in the global scope, as `eval` does outside of functions, and waits for its promise, if it
    /// gives one. `done` is called once; calls that take longer than `limit` are ended, and no promise is waited for
    /// longer.
    ///
    /// - Parameter timer: for the wait; nobody else's meanwhile.
    public func evaluate(
        untrusted text: String, within limit: Duration, _ timer: Timer, done: @escaping (EvaluationOutcome) -> Void
    ) {
        var isOver = false
        let finish = { (outcome: EvaluationOutcome) in
            guard !isOver else { return }
            isOver = true
            timer.stop()
            done(outcome)
        }
        let fulfilled = makeFunction { [unowned self] arguments in
            finish(outcome(within: limit) { () throws(JSError) in try shown(arguments[0]) })
            return nil
        }
        let rejected = makeFunction { arguments in
            finish(.failed(Self.cut("rejected: \(JSError(arguments[0]))")))
            return nil
        }
        var isPromise = false
        let first = outcome(within: limit) { () throws(JSError) in
            let watch = try evaluate(Self.watchScript, sourceName: "js/eval")
            let value = try call(watch, [string(text + "\n//# sourceURL=eval"), fulfilled, rejected])
            isPromise = value["isPromise"].boolean == true
            return isPromise ? "" : value["shown"].text ?? "unreadable"
        }
        guard isPromise else { return finish(first) }
        guard !isOver else { return }
        timer.start(after: limit) { finish(.failed("its promise is still pending after \(limit)")) }
    }

    private func outcome(
        within limit: Duration, _ body: () throws(JSError) -> String
    ) -> EvaluationOutcome {
        do throws(JSError) {
            return .value(Self.cut(try bounded(by: limit, body)))
        } catch {
            return .failed(Self.cut(error.isTermination ? "ended: \(error.message)" : "threw: \(error)"))
        }
    }

    private static let showScript = """
        value => {
            try {
                return JSON.stringify(value) ?? String(value);
            } catch {
                return String(value);
            }
        }
        """

    /// In one call: a promise that is rejected must not be unhandled for a moment.
    private static let watchScript = """
        (text, fulfilled, rejected) => {
            const value = (0, eval)(text);
            if (value instanceof Promise) {
                Reflect.apply(Promise.prototype.then, value, [fulfilled, rejected]);
                return { isPromise: true };
            }
            return { isPromise: false, shown: (\(showScript))(value) };
        }
        """

    private func shown(_ value: JSValue) throws(JSError) -> String {
        try call(evaluate(Self.showScript, sourceName: "js/eval"), [value]).text ?? "unreadable"
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > evaluationBound else { return text }
        return String(decoding: text.utf8.prefix(evaluationBound), as: UTF8.self) + "… cut, \(text.utf8.count) bytes"
    }
}
