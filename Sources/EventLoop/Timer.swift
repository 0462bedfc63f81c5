internal import CUV

/// One timer of a loop; it fires once per `start`.
public final class Timer {
    private let loop: Loop
    private let handle = Handle<uv_timer_t>()
    private var action: (() -> Void)?
    private var closed = false
    /// Counts what makes a start that waits for the end of the turn void.
    private var plan: UInt64 = 0

    public init(on loop: Loop) {
        loop.requireCurrent()
        self.loop = loop
        uv_timer_init(loop.raw, handle.raw)
        handle.adopt(self)
    }

    /// Calls `action` after `milliseconds`, counted from now. A timer that was running starts anew.
    public func start(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void) {
        loop.requireCurrent()
        precondition(!closed, "a closed timer was started")
        self.action = action
        guard loop.isFiringTimers else {
            arm(afterMilliseconds: milliseconds)
            return
        }
        // libuv 1.44 fires timers until none is due. One that timers' actions start again and again must not be among
        // them, or nothing else on this loop would ever get its turn.
        uv_timer_stop(handle.raw)
        let due = uv_hrtime() + milliseconds * 1_000_000
        plan += 1
        let plan = plan
        loop.atEndOfTurn { [self] in
            guard plan == self.plan, !closed else { return }
            let now = uv_hrtime()
            arm(afterMilliseconds: due > now ? (due - now + 999_999) / 1_000_000 : 0)
        }
    }

    private func arm(afterMilliseconds milliseconds: UInt64) {
        plan += 1
        // The loop's own idea of now is as old as its last turn.
        uv_update_time(loop.raw)
        uv_timer_start(
            handle.raw,
            { raw in
                let timer = Handle<uv_timer_t>.owner(raw, as: Timer.self)
                let action = timer.action
                timer.action = nil
                timer.loop.isFiringTimers = true
                action?()
                timer.loop.isFiringTimers = false
            }, milliseconds, 0)
    }

    public func start(after duration: Duration, _ action: @escaping () -> Void) {
        let (seconds, attoseconds) = duration.components
        // Rounded up: a timer must not fire before its time.
        let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        start(afterMilliseconds: UInt64(max(0, milliseconds)), action)
    }

    /// The same, but all that has come in by then is handled first, and may stop the timer or start it anew: for limits
    /// that others keep. A loop that got no turn for a while calls timers before it reads what came meanwhile.
    public func startBehindArrivals(after duration: Duration, _ action: @escaping () -> Void) {
        start(after: duration) { [unowned self] in
            let plan = plan
            // The turn that begins then comes behind a look at everything that the loop waits for.
            loop.atEndOfTurn { [self] in
                loop.atNextTurn { [self] in
                    if plan == self.plan, !closed { action() }
                }
            }
        }
    }

    public func stop() {
        loop.requireCurrent()
        guard !closed else { return }
        action = nil
        plan += 1
        uv_timer_stop(handle.raw)
    }

    /// Lets the loop end although this timer runs.
    public func unreference() { uv_unref(handle.base) }

    public func close() {
        loop.requireCurrent()
        guard !closed else { return }
        closed = true
        action = nil
        handle.close()
    }
}
