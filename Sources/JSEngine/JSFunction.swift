internal import CJSC

/// The arguments of one call from JavaScript; valid only during that call.
public struct JSArguments {
    let pointer: UnsafePointer<JSValueRef?>?
    public let count: Int
    public let engine: JSEngineHost

    /// `undefined` past the end.
    public subscript(_ index: Int) -> JSValue {
        guard index < count, let pointer else { return engine.undefined }
        return JSValue(pointer[index], orUndefinedIn: engine.context)
    }
}

/// What stands behind a native function's JavaScript object.
final class NativeFunction {
    unowned let engine: JSEngineHost
    let body: (JSArguments) throws -> JSValue?

    init(engine: JSEngineHost, body: @escaping (JSArguments) throws -> JSValue?) {
        self.engine = engine
        self.body = body
    }

    // The engine keeps the class for good; creating it once is what makes it safe to share.
    nonisolated(unsafe) static let jsClass: JSClassRef? = {
        var definition = JSClassDefinition()
        definition.attributes = JSClassAttributes(kJSClassAttributeNoAutomaticPrototype)
        definition.finalize = { object in
            guard let data = JSObjectGetPrivate(object) else { return }
            Unmanaged<NativeFunction>.fromOpaque(data).release()
        }
        definition.callAsFunction = { context, function, _, count, arguments, exception in
            guard let data = JSObjectGetPrivate(function) else { return nil }
            let native = Unmanaged<NativeFunction>.fromOpaque(data).takeUnretainedValue()
            let list = JSArguments(pointer: arguments, count: count, engine: native.engine)
            do {
                return try native.body(list)?.raw
            } catch {
                exception?.pointee = native.engine.thrown(error).raw
                return nil
            }
        }
        return withUnsafePointer(to: "NativeFunction") { _ in JSClassCreate(&definition) }
    }()
}

extension JSEngineHost {
    /// A function whose call runs `body`; nil is `undefined`. What `body` throws is thrown in JavaScript: a
    /// `RuntimeException` as an exception object, a `JSThrow` as its value, anything else as an `Error`.
    public func makeFunction(_ body: @escaping (JSArguments) throws -> JSValue?) -> JSValue {
        let native = Unmanaged.passRetained(NativeFunction(engine: self, body: body)).toOpaque()
        guard let object = JSObjectMake(context, NativeFunction.jsClass, native) else {
            preconditionFailure("the engine made no object")
        }
        JSObjectSetPrototype(context, object, functionPrototype.value.raw)
        return JSValue(object, in: context)
    }

    func thrown(_ error: any Error) -> JSValue {
        switch error {
        case let thrown as JSThrow: return thrown.value
        case let exception as RuntimeException: return value(of: exception)
        default: return makeError("\(error)")
        }
    }

    /// An `Error` object.
    public func makeError(_ message: String) -> JSValue {
        var argument: JSValueRef? = string(message).raw
        return JSValue(JSObjectMakeError(context, 1, &argument, nil), orUndefinedIn: context)
    }

    public func value(of exception: RuntimeException) -> JSValue {
        let object = makeObject()
        object.set("runtimeException", boolean(true))
        object.set("type", string(exception.type))
        for (name, field) in exception.fields.sorted(by: { $0.key < $1.key }) {
            switch field {
            case .flag(let flag): object.set(name, boolean(flag))
            case .text(let text): object.set(name, string(text))
            case .number(let number): object.set(name, self.number(number))
            case .texts(let texts): object.set(name, array(texts, string))
            }
        }
        return object
    }
}

/// A JavaScript value to be thrown as it is.
///
/// Unchecked: errors must be sendable, and this one stays on the engine's thread, where every use of its value is.
public struct JSThrow: Error, @unchecked Sendable {
    public let value: JSValue

    public init(_ value: JSValue) { self.value = value }
}
