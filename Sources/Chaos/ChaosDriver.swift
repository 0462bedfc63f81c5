internal import Control
internal import EventLoop
internal import Glibc
internal import Supervision

/// Performs a run against a supervisor, as a client of its control socket. What it has injected hangs on its connections:
/// they end with this process, however that ends, and the supervisor undoes it.
public final class ChaosDriver {
    private static let askLimit = Duration.seconds(10)
    private static let readingPause = Duration.seconds(2)

    private var run: ChaosRun
    private let loop: Loop
    private let timer: Timer
    private let reader: Timer
    private let mail = Mailbox<Delivery>()
    private let watch: EventWatch
    private let hands: Worker
    private let probes: [Worker]
    private let callers: [[Worker]]
    private let onEntry: (ChaosTimeline.Entry) -> Void
    private var told = 0

    /// Runs the scenario to its end; `onEntry` is told of each entry of the timeline as it comes. `signals` are let through
    /// meanwhile: the first one ends the run, with the second one the program, once `abandon` has been called.
    ///
    /// - Throws: `ControlError` when the supervisor cannot be asked.
    public static func perform(
        _ run: ChaosRun, socket: String, signals: HeldSignals, abandon: @escaping () -> Void = {},
        onEntry: @escaping (ChaosTimeline.Entry) -> Void
    ) throws -> ChaosRun {
        let driver = try ChaosDriver(run, socket, onEntry)
        try driver.perform(signals, abandon)
        return driver.run
    }

    private init(_ run: ChaosRun, _ socket: String, _ onEntry: @escaping (ChaosTimeline.Entry) -> Void) throws {
        self.run = run
        self.onEntry = onEntry
        // Before the loop: without a supervisor nothing is made.
        hands = try Worker(socket, reconnects: false) {
            [needsFaults = run.scenario.injectsFaults] line throws(ControlError) in
            if needsFaults { try Deeds.requireFaults(line) }
        }
        watch = EventWatch(socket)
        probes = try run.scenario.probes.map { _ in try Worker(socket) }
        callers = try run.scenario.loads.map { load in try (0..<load.clients).map { _ in try Worker(socket) } }
        loop = try Loop()
        timer = Timer(on: loop)
        reader = Timer(on: loop)
    }

    private func perform(_ held: HeldSignals, _ abandon: @escaping () -> Void) throws {
        try mail.open(on: loop) { [unowned self] delivery in handle(delivery.event, at: delivery.at) }
        var interruptions = 0
        let signals = try HeldSignals.numbers.map { number in
            try Signal(number, on: loop) { [unowned self] in
                interruptions += 1
                // Whoever asks twice does not wait: the end of the connections undoes all.
                if interruptions > 1 {
                    abandon()
                    _exit(128 + number)
                }
                handle(.interrupted(signal: number), at: .now)
            }
        }
        try watch.start { [mail] event, time in mail.send(Delivery(event: event, at: time)) }
        held.letThrough()
        loop.atNextTurn { [unowned self] in handle(.began, at: .now) }
        keepReading()
        loop.run()
        for worker in [hands] + probes + callers.joined() { worker.close() }
        held.hold()
        for signal in signals { signal.close() }
        timer.close()
        reader.close()
        mail.close()
        loop.runOnce(waiting: false)
        loop.close()
    }

    /// What is told of faults comes behind other answers: asked for none, it would pile up until the supervisor hangs up.
    private func keepReading() {
        reader.start(after: Self.readingPause) { [unowned self] in
            hands.give { Deeds.keepReading($0) }
            keepReading()
        }
    }

    private func handle(_ event: ChaosRun.Event, at now: Instant) {
        let actions = run.handle(event, at: now)
        for entry in run.timeline.entries.dropFirst(told) { onEntry(entry) }
        told = run.timeline.entries.count
        for action in actions { perform(action) }
        guard let wake = run.wakeAt else { return timer.stop() }
        timer.start(after: max(.zero, wake - .now)) { [unowned self] in handle(.tick, at: .now) }
    }

    private func perform(_ action: ChaosRun.Action) {
        switch action {
        case .prepare(let call): give(hands) { .prepared(Self.call(call, $0)) }
        case .ask(let index, let question): give(probes[index]) { .probed(index, Self.answer(question, $0)) }
        case .call(let load, let client, let call):
            give(callers[load][client]) { .called(load: load, client: client, Self.call(call, $0)) }
        case .find(let load, let call): give(callers[load][0]) { .found(load: load, Self.call(call, $0)) }
        case .act(let index, let deed, let seed): give(hands) { .acted(index, Deeds.perform(deed, seed, $0)) }
        case .rollBack(let faults): give(hands) { .rolledBack(stillThere: Deeds.undo(faults, $0)) }
        case .end: loop.stop()
        }
    }

    private func give(_ worker: Worker, _ job: @escaping @Sendable (Worker.Line) -> ChaosRun.Event) {
        worker.give { [mail] line in
            let event = job(line)
            mail.send(Delivery(event: event, at: .now))
        }
    }

    private static func call(_ call: CallSpec, _ line: Worker.Line) -> CallAnswer {
        let begin = Instant.now
        let outcome: CallAnswer.Outcome
        do throws(ControlError) {
            outcome = .returned(try line.ask(call.request, as: CallReply.self, within: call.within).result)
        } catch {
            let exception = error.data["exception"]
            outcome =
                if error.exitCode == .callRejected, let exception, exception.members != nil {
                    .rejected(exception)
                } else {
                    .unanswered(error.message)
                }
        }
        return CallAnswer(outcome, took: .now - begin)
    }

    private static func answer(_ question: ProbeQuestion, _ line: Worker.Line) -> ProbeAnswer {
        do throws(ControlError) {
            switch question {
            case .call(let call): return .call(Self.call(call, line))
            case .components:
                return .components(try line.ask(.ps, as: PsReply.self, within: askLimit).components)
            case .doctor:
                let reply = try line.ask(.doctor, as: DoctorReply.self, within: askLimit)
                return .doctor(
                    reply.differences.map { "\($0.check): \($0.subject) is \($0.found), not \($0.believed)" })
            case .figures: return ProcessFigures.answer(try line.ask(.ps, as: PsReply.self, within: askLimit))
            }
        } catch {
            return .failed(error.message)
        }
    }
}
