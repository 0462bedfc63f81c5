internal import CSystem
internal import EventLoop
internal import Glibc
internal import JSEngine
internal import Wire

/// Faults that this process does to itself, on the order of a supervisor that was started with `--allow-faults`.
///
/// A process in a loop reads no orders: the supervisor's SIGUSR2 ends the loop, and the order that undoes it follows on the
/// control pipe.
final class ComponentFaults {
    private static let memoryStep = Duration.milliseconds(100)
    private static let mostDescriptors = 65_536

    private let engine: JSEngineHost
    private let loop: Loop
    private let uncaught: (JSError) -> Void
    private var growths: [UInt32: Growth] = [:]
    private var descriptors: [UInt32: [Int32]] = [:]
    /// What has moved the clock.
    private var clock: UInt32?

    private struct Growth {
        let timer: Timer
        let kept: JSReference
        var left: UInt64
    }

    init(_ engine: JSEngineHost, on loop: Loop, uncaught: @escaping (JSError) -> Void) {
        self.engine = engine
        self.loop = loop
        self.uncaught = uncaught
        // Refused, the signal that undoes a loop ends the process, and the loop with it.
        _ = chs_be_interruptible()
    }

    func inject(_ fault: ComponentFault) {
        switch fault.kind {
        case .exit: _exit(Int32(truncatingIfNeeded: fault.amount))
        case .uncaughtError: engine.report(.error, engine.makeError(fault.text))
        case .unhandledRejection:
            run("message => { (async () => { throw new Error(message); })(); }", [engine.string(fault.text)])
        case .tightLoop: run("isOver => { while (!isOver()); }", [isOver(after: fault.amount)])
        case .microtaskLoop:
            run("isOver => { (async () => { while (!isOver()) await 0; })(); }", [isOver(after: fault.amount)])
        case .stalledLoop:
            let limit = Self.limit(fault.amount)
            while !Self.isOver(limit) { usleep(5000) }
        case .memoryGrowth: grow(fault)
        case .descriptorExhaustion: openDescriptors(leaving: Int(clamping: fault.amount), for: fault.number)
        case .clockStep:
            clock = fault.number
            chs_step_wall_clock(Int64(bitPattern: fault.amount))
        }
    }

    func undo(_ number: UInt32) {
        chs_forget_interruption()
        if let growth = growths.removeValue(forKey: number) {
            growth.timer.close()
            loop.atNextTurn { [engine] in engine.collectNow() }
        }
        for descriptor in descriptors.removeValue(forKey: number) ?? [] { close(descriptor) }
        if clock == number { chs_step_wall_clock(0) }
    }

    private func run(_ script: String, _ arguments: [JSValue]) {
        do {
            try engine.call(try engine.evaluate("(\(script))", sourceName: "js/fault"), arguments)
        } catch {
            uncaught(error)
        }
    }

    // MARK: Loops

    private static func limit(_ milliseconds: UInt64) -> ContinuousClock.Instant {
        .now + .milliseconds(Int64(clamping: milliseconds))
    }

    private static func isOver(_ limit: ContinuousClock.Instant) -> Bool {
        chs_is_interrupted() != 0 || .now >= limit
    }

    private func isOver(after milliseconds: UInt64) -> JSValue {
        let limit = Self.limit(milliseconds)
        return engine.makeFunction { [unowned engine] _ in engine.boolean(Self.isOver(limit)) }
    }

    // MARK: Resources

    private func grow(_ fault: ComponentFault) {
        do {
            let kept = JSReference(try engine.evaluate("[]", sourceName: "js/fault"))
            growths[fault.number] = Growth(timer: Timer(on: loop), kept: kept, left: fault.amount)
        } catch {
            return uncaught(error)
        }
        takeMore(fault)
    }

    private func takeMore(_ fault: ComponentFault) {
        guard var growth = growths[fault.number], growth.left > 0 else { return }
        let step = min(growth.left, max(4096, fault.rate / 10))
        growth.left -= step
        growths[fault.number] = growth
        run(
            "(kept, size) => { kept[kept.length] = new Uint8Array(size).fill(1); }",
            [growth.kept.value, engine.number(Double(step))])
        growth.timer.start(after: Self.memoryStep) { [unowned self] in takeMore(fault) }
    }

    private func openDescriptors(leaving count: Int, for number: UInt32) {
        var opened: [Int32] = []
        while opened.count < Self.mostDescriptors {
            let descriptor = chs_open_nothing()
            guard descriptor >= 0 else { break }
            opened.append(descriptor)
        }
        for _ in 0..<min(count, opened.count) { close(opened.removeLast()) }
        descriptors[number] = opened
    }
}
