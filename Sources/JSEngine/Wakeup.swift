internal import CJSC
internal import EventLoop

/// The one timer of a context: JavaScript keeps its own queue of timers and arms this for the earliest.
final class Wakeup {
    /// So many callbacks of JavaScript in one turn of the loop; then everything else on the loop has its turn.
    private static let mostInOneTurn = 64
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
            runHook()
        }
    }

    /// Each entry into JavaScript is one of its own, with its microtasks. A hook that was stopped in the middle says
    /// nothing and is asked again.
    private func runHook() {
        for _ in 0..<Self.mostInOneTurn {
            guard let hook, !engine.isClosed else { return }
            guard let answer = engine.perform(hook.value, []) else { continue }
            if answer.boolean != true { return }
        }
        arm(afterMilliseconds: 0)
    }

    func close() {
        hook = nil
        timer.close()
    }
}
