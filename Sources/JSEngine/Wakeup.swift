internal import CJSC
internal import EventLoop

/// The one timer of a context: JavaScript keeps its own queue of timers and arms this for the earliest.
final class Wakeup {
    private unowned let engine: JSEngineHost
    private let timer: Timer
    var hook: JSReference?

    init(on engine: JSEngineHost) {
        self.engine = engine
        timer = Timer(on: engine.loop)
    }

    /// Replaces what was armed; negative or not a number disarms.
    func arm(afterMilliseconds milliseconds: Double) {
        guard milliseconds >= 0 else {
            timer.stop()
            return
        }
        timer.start(afterMilliseconds: UInt64(min(milliseconds.rounded(.up), 2_147_483_647))) { [unowned self] in
            guard let hook else { return }
            engine.perform(hook.value, [])
        }
    }

    func close() {
        hook = nil
        timer.close()
    }
}
