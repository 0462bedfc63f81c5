internal import CJSC
public import EventLoop
internal import Synchronization

public enum ConsoleLevel: String, Sendable, CaseIterable {
    case debug, info, log, warn, error
}

public enum UncaughtKind: String, Sendable {
    case error, rejection
}

/// One JavaScriptCore context with its virtual machine, on the thread of one loop (made with `pumpingGLib`).
///
/// What each context has before its first script is in `docs/architecture.md`, "Every context".
public final class JSEngineHost {
    /// Names the context in the engine's own tools.
    public let label: String
    public let loop: Loop
    let group: JSContextGroupRef
    let context: JSGlobalContextRef
    let globalObject: JSObjectRef
    private(set) var isClosed = false

    var console: (ConsoleLevel, String) -> Void
    var uncaught: (UncaughtKind, JSError) -> Void
    var errorHook: JSReference?
    var ports: [String: (signature: PortSignature, handler: (PortArguments) throws -> JSValue?)] = [:]
    private var keptFunctionPrototype: JSReference?
    private var keptIsResizable: JSReference?
    var textRoom: TextRoom?
    private(set) lazy var wakeup = Wakeup(on: self)
    private var delays: [ObjectIdentifier: Timer] = [:]
    var longCalls: LongCallWatch?

    /// The engine's private GLib timers run on the thread that says so first, once per process.
    private static let mainThreadIsKnown = Mutex(false)

    /// - Parameters:
    ///   - console: each line that JavaScript writes to `console`.
    ///   - uncaught: each error or rejection that JavaScript's own handlers have left.
    public init(
        label: String, loop: Loop, console: @escaping (ConsoleLevel, String) -> Void,
        uncaught: @escaping (UncaughtKind, JSError) -> Void
    ) {
        loop.requireCurrent()
        self.label = label
        self.loop = loop
        self.console = console
        self.uncaught = uncaught
        var missing: [String] = []
        Self.mainThreadIsKnown.withLock { known in
            guard !known else { return }
            known = true
            if !chj_initialize_main_thread() { missing.append("WTF::initializeMainThread") }
        }
        guard let group = JSContextGroupCreate(), let context = JSGlobalContextCreateInGroup(group, nil),
            let globalObject = JSContextGetGlobalObject(context)
        else { preconditionFailure("JavaScriptCore made no context") }
        self.group = group
        self.context = context
        self.globalObject = globalObject
        let name = label.makeJSString()
        JSGlobalContextSetName(context, name)
        JSStringRelease(name)
        keptFunctionPrototype = JSReference(global["Function"]["prototype"])
        keptIsResizable = makeIsResizable()
        installConsole()
        installNative()
        let rejection = makeFunction { [unowned self] arguments in
            report(.rejection, arguments[1], promise: arguments[0])
            return nil
        }
        if !chj_set_unhandled_rejection_callback(context, rejection.object) {
            missing.append("JSGlobalContextSetUnhandledRejectionCallback")
        }
        for feature in missing {
            console(.warn, "this JavaScriptCore lacks \(feature): \(label) runs without what it gives")
        }
    }

    var functionPrototype: JSReference {
        guard let keptFunctionPrototype else { preconditionFailure("\(label) was used after it was closed") }
        return keptFunctionPrototype
    }

    /// Whether JavaScript can take away the memory of this typed array or `ArrayBuffer`, by `resize`, while native code
    /// reads it. The engine's hold on a buffer keeps it from being detached, and not from that.
    public func isResizable(_ bytes: JSValue) -> Bool {
        guard let object = bytes.object, let getter = keptIsResizable?.value.object else { return false }
        let isBuffer = JSValueGetTypedArrayType(context, bytes.raw, nil) == kJSTypedArrayTypeArrayBuffer
        guard let buffer = isBuffer ? object : JSObjectGetTypedArrayBuffer(context, object, nil) else { return false }
        // It throws for what is no `ArrayBuffer`.
        guard let answer = JSObjectCallAsFunction(context, getter, buffer, 0, nil, nil) else { return false }
        return JSValueToBoolean(context, answer)
    }

    /// The engine's own getter, which no property of a buffer hides; nil before JavaScript had such buffers.
    private func makeIsResizable() -> JSReference? {
        let object = global["Object"]
        let prototype = global["ArrayBuffer"]["prototype"]
        // Before any script it does not throw.
        let property = try? call(object["getOwnPropertyDescriptor"], [prototype, string("resizable")])
        guard let getter = property?["get"], getter.isFunction else { return nil }
        return JSReference(getter)
    }

    // MARK: Scripts and calls

    /// Evaluates a script; line numbers in stacks start at `startingLine` of `sourceName`.
    @discardableResult
    public func evaluate(_ script: String, sourceName: String, startingLine: Int = 1) throws(JSError) -> JSValue {
        loop.requireCurrent()
        let text = script.makeJSString()
        let name = sourceName.makeJSString()
        defer {
            JSStringRelease(text)
            JSStringRelease(name)
        }
        return try entering { exception in
            JSEvaluateScript(context, text, nil, name, Int32(startingLine), &exception)
        }
    }

    @discardableResult
    public func call(_ function: JSValue, this: JSValue? = nil, _ arguments: [JSValue]) throws(JSError) -> JSValue {
        loop.requireCurrent()
        guard let object = function.object else {
            throw JSError(name: "TypeError", message: "\(label): a value that is no function was called")
        }
        let raws = arguments.map { Optional($0.raw) }
        return try entering { exception in
            JSObjectCallAsFunction(context, object, this?.object, raws.count, raws, &exception)
        }
    }

    /// Calls a function for its effect: what it throws is reported as an uncaught error, and nil is returned.
    @discardableResult
    public func perform(_ function: JSValue, _ arguments: [JSValue]) -> JSValue? {
        guard let object = function.object else { return nil }
        return withUnsafeTemporaryAllocation(of: JSValueRef?.self, capacity: arguments.count) { raws in
            for (index, argument) in arguments.enumerated() { raws.initializeElement(at: index, to: argument.raw) }
            var exception: JSValueRef?
            longCalls?.begin()
            let result = JSObjectCallAsFunction(context, object, nil, arguments.count, raws.baseAddress, &exception)
            if let exception { report(.error, JSValue(exception, in: context)) }
            return result.map { JSValue($0, in: context) }
        }
    }

    private func entering(_ body: (inout JSValueRef?) -> JSValueRef?) throws(JSError) -> JSValue {
        var exception: JSValueRef?
        longCalls?.begin()
        let result = body(&exception)
        if let exception { throw error(JSValue(exception, in: context)) }
        return JSValue(result, orUndefinedIn: context)
    }

    private func error(_ thrown: JSValue) -> JSError {
        longCalls?.takeTermination() ?? JSError(thrown)
    }

    // MARK: Uncaught errors

    /// Asks the error hook of JavaScript, then the host.
    public func report(_ kind: UncaughtKind, _ thrown: JSValue, promise: JSValue? = nil) {
        if let termination = longCalls?.takeTermination() {
            uncaught(kind, termination)
            return
        }
        if let errorHook {
            var raws = [string(kind.rawValue).raw, thrown.raw, (promise ?? undefined).raw].map(Optional.init)
            var exception: JSValueRef?
            let answer = JSObjectCallAsFunction(context, errorHook.value.object, nil, raws.count, &raws, &exception)
            if exception == nil, let answer, JSValueToBoolean(context, answer) { return }
        }
        uncaught(kind, JSError(thrown))
    }

    // MARK: Memory

    /// Plans a collection; the engine does it when it likes.
    public func collect() { JSGarbageCollect(context) }

    /// Collects now, and gives memory back; milliseconds.
    public func collectNow() {
        if !chj_collect_synchronously(context) { JSGarbageCollect(context) }
    }

    /// Live heap and what it keeps beside itself, in bytes, and the number of objects.
    public struct MemoryUse: Equatable, Sendable {
        public let heapSize: Int
        public let heapCapacity: Int
        public let extraSize: Int
        public let objectCount: Int
    }

    /// Nil where the engine does not tell.
    public var memoryUse: MemoryUse? {
        guard let object = chj_memory_statistics(context) else { return nil }
        let figures = JSValue(object, in: context)
        return MemoryUse(
            heapSize: figures["heapSize"].integer ?? 0, heapCapacity: figures["heapCapacity"].integer ?? 0,
            extraSize: figures["extraMemorySize"].integer ?? 0, objectCount: figures["objectCount"].integer ?? 0)
    }

    // MARK: Delays and the end

    /// Resolves after `milliseconds`; the timer goes with the engine.
    func delay(milliseconds: UInt64) -> JSValue {
        let promise = makePromise()
        let timer = Timer(on: loop)
        let key = ObjectIdentifier(timer)
        delays[key] = timer
        timer.start(afterMilliseconds: milliseconds) { [unowned self] in
            delays.removeValue(forKey: key)?.close()
            promise.resolve { $0.undefined }
        }
        return promise.value
    }

    /// Frees the context. Every `JSReference` must be gone by then; the loop stays.
    public func close() {
        loop.requireCurrent()
        guard !isClosed else { return }
        isClosed = true
        for timer in delays.values { timer.close() }
        delays = [:]
        wakeup.close()
        errorHook = nil
        textRoom = nil
        keptFunctionPrototype = nil
        keptIsResizable = nil
        longCalls?.remove()
        ports = [:]
        JSGlobalContextRelease(context)
        JSContextGroupRelease(group)
    }
}
