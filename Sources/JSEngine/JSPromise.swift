internal import CJSC

/// A promise made by native code, to be settled once, later or at once, on the engine's thread.
public final class JSPromise {
    public let value: JSValue
    private let engine: JSEngineHost
    private var functions: (resolve: JSReference, reject: JSReference)?

    init(on engine: JSEngineHost) {
        self.engine = engine
        var resolve: JSObjectRef?
        var reject: JSObjectRef?
        let promise = JSObjectMakeDeferredPromise(engine.context, &resolve, &reject, nil)
        value = JSValue(promise, orUndefinedIn: engine.context)
        if let resolve, let reject {
            functions = (
                JSReference(JSValue(resolve, in: engine.context)), JSReference(JSValue(reject, in: engine.context))
            )
        }
    }

    /// Settling twice is harmless: the first counts. Once the engine is closed, nothing happens.
    public func resolve(_ make: (JSEngineHost) -> JSValue) { settle(make) { $0.resolve } }

    public func reject(_ error: any Error) { settle({ $0.thrown(error) }) { $0.reject } }

    private func settle(
        _ make: (JSEngineHost) -> JSValue, _ choose: ((resolve: JSReference, reject: JSReference)) -> JSReference
    ) {
        guard let functions, !engine.isClosed else { return }
        self.functions = nil
        engine.perform(choose(functions).value, [make(engine)])
    }
}

extension JSEngineHost {
    public func makePromise() -> JSPromise { JSPromise(on: self) }
}
