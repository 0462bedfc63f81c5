internal import CGLib
internal import CUV
internal import Glibc

/// One libuv loop. It belongs to the thread that made it: every use of it, or of what lives on it, checks that.
public final class Loop {
    let raw: UnsafeMutablePointer<uv_loop_t>
    private let thread: pthread_t
    private var beforeWait: UnsafeMutablePointer<uv_prepare_t>?
    private var endOfTurn: [() -> Void] = []
    /// The other of two lists that take turns, so that none is allocated per turn.
    private var finishing: [() -> Void] = []
    private var nextTurn: [() -> Void] = []
    private var idle: UnsafeMutablePointer<uv_idle_t>?
    private var glib: GLibPump?
    private var stopped = false
    /// Called at the end of every turn, before the loop waits.
    public var turnEnded: (() -> Void)?
    /// The action of a timer runs.
    var isFiringTimers = false

    /// - Parameter pumpingGLib: makes a GLib main context, the thread's default one, and iterates it under this loop.
    ///   Needed by a thread that will own a JavaScriptCore context, and before that context.
    public init(pumpingGLib: Bool = false) throws(UVError) {
        thread = pthread_self()
        raw = .allocate(capacity: 1)
        let code = uv_loop_init(raw)
        guard code == 0 else {
            raw.deallocate()
            throw UVError(code, in: "uv_loop_init")
        }
        let prepare = Handle<uv_prepare_t>()
        uv_prepare_init(raw, prepare.raw)
        prepare.raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_start(prepare.raw) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Loop>.fromOpaque(data).takeUnretainedValue().finishTurn()
        }
        uv_unref(prepare.base)
        beforeWait = prepare.raw
        let idle = Handle<uv_idle_t>()
        uv_idle_init(raw, idle.raw)
        idle.raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        self.idle = idle.raw
        if pumpingGLib { glib = try GLibPump(on: self) }
    }

    /// Traps on any other thread than the loop's own, in release builds too.
    @inline(__always)
    public func requireCurrent() {
        precondition(pthread_equal(pthread_self(), thread) != 0, "a loop was used outside its own thread")
    }

    /// Runs until `stop()`, or until nothing is left to wait for.
    public func run() {
        requireCurrent()
        stopped = false
        repeat {
            // Callbacks of the last turn may have left work, which may give the loop something to wait for.
            finishTurn()
            uv_run(raw, UV_RUN_DEFAULT)
        } while !stopped && !endOfTurn.isEmpty
    }

    /// One turn: waits for events (unless `waiting` is false), handles them, returns.
    public func runOnce(waiting: Bool = true) {
        requireCurrent()
        // Work left by the last turn may give the loop something to wait for.
        if !endOfTurn.isEmpty { finishTurn() }
        uv_run(raw, waiting ? UV_RUN_ONCE : UV_RUN_NOWAIT)
    }

    /// Makes `run()` return at the end of this turn.
    public func stop() {
        requireCurrent()
        stopped = true
        uv_stop(raw)
    }

    /// Calls `work` once, in this turn after all callbacks, right before the loop waits again.
    public func atEndOfTurn(_ work: @escaping () -> Void) {
        requireCurrent()
        endOfTurn.append(work)
    }

    /// Calls `work` once in the next turn, which begins without waiting.
    public func atNextTurn(_ work: @escaping () -> Void) {
        requireCurrent()
        nextTurn.append(work)
        guard nextTurn.count == 1, let idle else { return }
        uv_idle_start(idle) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Loop>.fromOpaque(data).takeUnretainedValue().beginTurn()
        }
    }

    /// The same clock in milliseconds, as it was when this turn last looked at it: costs a load.
    public var turnMilliseconds: UInt64 { uv_now(raw) }

    /// Monotonic time in nanoseconds, read from the clock.
    public var now: UInt64 { uv_hrtime() }

    /// Before something else on this loop takes `descriptor`: if GLib is still waited for under that number, it has closed
    /// its descriptor in this turn, and libuv has one watch per number.
    func claim(_ descriptor: Int32) {
        glib?.letGo(of: descriptor)
    }

    /// Closes the loop's own handles and the loop. Everything else on it must have been closed: else this traps.
    public func close() {
        requireCurrent()
        glib?.close()
        glib = nil
        finishTurn()
        nextTurn = []
        if let beforeWait { Self.free(beforeWait) }
        if let idle { Self.free(idle) }
        beforeWait = nil
        idle = nil
        uv_run(raw, UV_RUN_DEFAULT)
        let code = uv_loop_close(raw)
        precondition(code == 0, "a loop was closed while something on it was open")
        raw.deallocate()
    }

    private static func free<Raw>(_ handle: UnsafeMutablePointer<Raw>) {
        uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            UnsafeMutableRawPointer(handle)?.deallocate()
        }
    }

    private func beginTurn() {
        let work = nextTurn
        nextTurn = []
        if let idle { uv_idle_stop(idle) }
        for item in work { item() }
    }

    private func finishTurn() {
        // Work may add more work for this turn; only what is there now and what that adds, until none is left.
        while !endOfTurn.isEmpty {
            swap(&endOfTurn, &finishing)
            for item in finishing { item() }
            finishing.removeAll(keepingCapacity: true)
        }
        turnEnded?()
        glib?.prepare()
    }
}
