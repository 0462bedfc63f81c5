internal import CJSC

/// A call into JavaScript that takes long, seen while it runs.
public struct LongCall {
    /// Of the call so far, counted in looks: time in which the process was stopped is not in it.
    public let duration: Duration
    /// The call was not looked at before.
    public let isFirstLook: Bool
    fileprivate let context: JSContextRef

    /// Where it is now, innermost function first; nil where the engine does not tell.
    public func stack() -> String? {
        guard let trace = chj_backtrace(context, 50) else { return nil }
        defer { JSStringRelease(trace) }
        return String(jsString: trace)
    }
}

/// Looks at a call into JavaScript when it has taken long, and from then on every `slice`. Loops are seen; a native call that
/// blocks, or an endless chain of microtasks, is not: only a heartbeat tells of those.
///
/// For each look the engine is stopped, in whatever call it is then, and throws away what it has compiled of the functions that run:
/// looks every 50 ms kept busy components compiling, for half as long as they worked.
final class LongCallWatch {
    static let slice = Duration.milliseconds(50)
    static let patience = Duration.milliseconds(400)

    private unowned let engine: JSEngineHost
    private let look: (LongCall) -> String?
    /// Of the present call, until its last look.
    private var seen = Duration.zero
    private var next = Duration.zero
    /// What a call may take without being looked at.
    var patience = LongCallWatch.patience { didSet { if patience != oldValue { expectCall() } } }
    /// What the present call may take, if less than others.
    var bound: Duration? { didSet { expectCall() } }
    private var termination: JSError?

    init(of engine: JSEngineHost, _ look: @escaping (LongCall) -> String?) {
        self.engine = engine
        self.look = look
        expectCall()
    }

    /// A call begins.
    func begin() {
        guard seen > .zero else { return }
        seen = .zero
        expectCall()
    }

    /// The reason of the termination that has just happened, once.
    func takeTermination() -> JSError? {
        defer { termination = nil }
        return termination
    }

    private func expectCall() { arm(max(Self.slice, min(patience, bound ?? patience))) }

    private func arm(_ wait: Duration) {
        next = wait
        chj_set_execution_time_limit(
            engine.group, wait / .seconds(1),
            { context, watch in
                guard let context, let watch else { return false }
                return Unmanaged<LongCallWatch>.fromOpaque(watch).takeUnretainedValue().shouldEnd(context)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func shouldEnd(_ context: JSContextRef) -> Bool {
        let call = LongCall(duration: seen + next, isFirstLook: seen == .zero, context: context)
        seen = call.duration
        let isOver = bound.map { call.duration >= $0 } ?? false
        let reason = isOver ? "it ran for \(call.duration)" : look(call)
        arm(Self.slice)
        guard let reason else { return false }
        termination = JSError(terminated: reason, stack: call.stack())
        return true
    }

    func remove() { chj_set_execution_time_limit(engine.group, .infinity, nil, nil) }
}

extension JSEngineHost {
    /// From now on `look` is asked, on the engine's thread, about every call that takes more than 400 ms, and
    /// again every 50 ms. It must not call the engine, except for `LongCall.stack`. The text that it gives ends
    /// the call: that throws a `JSError` with `isTermination`, the text and the stack; JavaScript cannot catch it.
    public func watchLongCalls(_ look: @escaping (LongCall) -> String?) {
        longCalls = LongCallWatch(of: self, look)
    }

    /// Calls of this length are looked at, if 400 ms are too late.
    public func lookAtCalls(that last: Duration) { longCalls?.patience = min(LongCallWatch.patience, last) }

    /// Calls that `body` makes are ended once they take more than `limit`; needs `watchLongCalls`.
    func bounded<Result>(by limit: Duration, _ body: () throws(JSError) -> Result) throws(JSError) -> Result {
        longCalls?.bound = limit
        defer { longCalls?.bound = nil }
        return try body()
    }
}

extension JSEngineHost {
    /// Where the functions are that run now, innermost first, as `<script>:<line>`; native ones are left out, and all
    /// where the engine does not tell.
    public func callers(atMost frames: UInt32) -> [String] {
        guard let trace = chj_backtrace(context, frames) else { return [] }
        defer { JSStringRelease(trace) }
        return String(jsString: trace).split(separator: "\n").compactMap(Self.place(ofFrame:))
    }

    /// Of a frame like `#0 spin() at chat.example/a.mjs:7`.
    private static func place(ofFrame frame: Substring) -> String? {
        let mark = Array(") at ".utf8)
        var rest = frame.utf8[...]
        while rest.count > mark.count {
            if rest.starts(with: mark) {
                let place = Substring(rest.dropFirst(mark.count))
                return place == "[native code]" ? nil : String(place)
            }
            rest.removeFirst()
        }
        return nil
    }
}
