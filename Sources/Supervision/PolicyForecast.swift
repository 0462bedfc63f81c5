/// What a policy makes of a component whose lives all end in the same way: told by the machine itself, in simulated time,
/// without jitter.
public enum PolicyForecast {
    /// How every life ends.
    public enum Ending: String, CaseIterable, Sendable {
        /// By exit code 1.
        case crash
        /// By `closeSelf`.
        case close
        /// It does not become ready in time.
        case startTimeout = "start-timeout"
    }

    public enum Next: Equatable, Sendable {
        case restart(after: Duration)
        case down
        case quarantined
    }

    public struct Life: Equatable, Sendable {
        /// Since the first start.
        public let startsAt: Duration
        public let endsAt: Duration
        public let verdict: String
        public let next: Next
    }

    /// The lives in order, until the component is not restarted any more, or `most` of them. Starts take no time. Life i is
    /// ready for `readyFor[i]`, those behind the last for as long as that one.
    ///
    /// - Parameter readyFor: not empty, unless all end by a start time-out.
    public static func lives(of spec: ComponentSpec, ending: Ending, readyFor: [Duration], most: Int) -> [Life] {
        var simulation = Simulation(spec)
        var lives: [Life] = []
        simulation.send(.start(by: .platform))
        while lives.count < most {
            let start = simulation.now
            switch ending {
            case .startTimeout: simulation.hangInStart(connector: "\(lives.count)")
            case .crash, .close:
                let lasts = readyFor[min(lives.count, readyFor.count - 1)]
                simulation.live(connector: "\(lives.count)", for: lasts, closing: ending == .close)
            }
            let end = simulation.now
            let next = simulation.next
            lives.append(
                Life(
                    startsAt: start - .start, endsAt: end - .start, verdict: simulation.verdict?.text ?? "",
                    next: next))
            guard case .restart = next else { break }
            simulation.waitForRestart()
        }
        return lives
    }
}

extension Instant {
    fileprivate static let start = Instant(nanoseconds: 0)
}

private struct Simulation {
    private var machine: ComponentMachine
    private(set) var now = Instant.start
    /// Of the last life that has ended.
    private(set) var verdict: Verdict?

    init(_ spec: ComponentSpec) { machine = ComponentMachine(spec) }

    mutating func send(_ event: ComponentEvent) {
        // 0.5 is the middle of the jitter. What the machine wants done is done by the events that follow.
        for case .record(let verdict, _) in machine.handle(event, at: now, random: 0.5) { self.verdict = verdict }
    }

    mutating func live(connector: String, for duration: Duration, closing: Bool) {
        boot(connector)
        send(.ready)
        now = now + duration
        if closing { send(.closingReported) }
        send(.exited(.exited(closing ? 0 : 1)))
        send(.portClosed(connector: connector, closing ? .bye : .endOfFile(partialFrame: 0)))
    }

    mutating func hangInStart(connector: String) {
        boot(connector)
        if let deadline = machine.deadline { now = deadline }
        send(.tick)
        send(.exited(.signalled(9)))
        send(.portClosed(connector: connector, .byPlatform))
    }

    mutating func waitForRestart() {
        if case .waiting(let until, _) = machine.state {
            now = until
            send(.tick)
        }
    }

    var next: PolicyForecast.Next {
        switch machine.state {
        case .waiting(let until, _): .restart(after: until - now)
        case .failed: .quarantined
        case .down: .down
        // A restart that is due at once has begun already.
        case .starting, .running, .closing: .restart(after: .zero)
        }
    }

    private mutating func boot(_ connector: String) {
        for event: ComponentEvent in [
            .startRequested(connector: connector), .slotGranted, .prepared(connector: connector), .spawned(pid: 1),
            .hello, .preloaded,
        ] {
            send(event)
        }
    }
}
