import Glibc

extension Closing {
    /// How a life that has a process is brought to its end.
    enum Manner {
        /// The stop order and the port closed, grace, SIGTERM, SIGKILL.
        case gently
        /// SIGTERM, SIGKILL.
        case terminate
        case kill
        /// It ends by itself; if not within this long, SIGTERM, SIGKILL.
        case letEnd(Duration)
    }

    var isAlive: Bool { if case .alive = process { true } else { false } }

    /// It closes itself as soon as it runs, so that "ready" follows "closing": the start succeeded.
    var canBecomeReady: Bool {
        isAlive && imposed == nil && life.reported == nil && phase == BootStep.preloaded.rawValue
    }

    var isPortClosed: Bool { if case .closed = port { true } else { false } }

    var isOver: Bool {
        switch process {
        case .none, .exited: isPortClosed
        case .spawning, .alive: false
        }
    }

    var deadline: Instant? {
        switch process {
        case .alive(_, .terminate(let at)), .alive(_, .kill(let at)): at
        case .none, .spawning, .exited: nil
        }
    }

    /// Somebody needs the component again.
    mutating func demand() {
        if next == .byRule { next = .demanded }
    }

    mutating func leave(_ manner: Manner, _ policy: RestartPolicy, _ now: Instant) -> [ComponentAction] {
        switch process {
        case .none, .spawning: return askPort(.closePort(connector: connector))
        case .exited: return []
        case .alive(let pid, _):
            switch manner {
            case .gently:
                process = .alive(pid: pid, .terminate(at: now + policy.stopGrace))
                return [.sendStop] + askPort(.closePort(connector: connector))
            case .terminate: return signal(SIGTERM, pid, policy, now)
            case .kill: return signal(SIGKILL, pid, policy, now)
            case .letEnd(let grace):
                process = .alive(pid: pid, .terminate(at: now + grace))
                return []
            }
        }
    }

    /// The next step against a process that is still there. A kill can fail too: it is repeated.
    mutating func escalate(_ policy: RestartPolicy, _ now: Instant) -> [ComponentAction] {
        switch process {
        case .alive(let pid, .terminate): signal(SIGTERM, pid, policy, now)
        case .alive(let pid, .kill): signal(SIGKILL, pid, policy, now)
        case .none, .spawning, .exited: []
        }
    }

    mutating func exit(_ status: ExitStatus, _ now: Instant) -> [ComponentAction] {
        process = .exited(status)
        readyFor = readyAt.map { now - $0 }
        return askPort(.tellCoreExited(connector: connector))
    }

    private mutating func signal(
        _ number: Int32, _ pid: Int32, _ policy: RestartPolicy, _ now: Instant
    ) -> [ComponentAction] {
        process = .alive(pid: pid, .kill(at: now + policy.killAfter))
        if case .closed(.endOfFile) = port, signals.isEmpty { portEndedFirst = true }
        if signals.last != number { signals.append(number) }
        return [.signal(number)]
    }

    /// The port is asked to close once; an answer is then on its way.
    private mutating func askPort(_ action: ComponentAction) -> [ComponentAction] {
        guard port == .open else { return [] }
        port = .asked
        return [action]
    }

    var verdict: Verdict {
        var evidence = Evidence()
        if case .exited(let status) = process { evidence.exit = status }
        if case .closed(let end) = port { evidence.portEnd = end }
        evidence.portEndedFirst = portEndedFirst
        evidence.reported = life.reported
        evidence.phase = phase
        evidence.readyFor = readyFor
        evidence.signals = signals
        evidence.fatal = life.fatal
        evidence.kernel = life.kernel
        return Verdict.of(imposed: imposed, kill: life.kill, faults: life.faults, evidence: evidence)
    }
}

extension StartPhase {
    var connector: String? {
        switch self {
        case .launching: nil
        case .queued(let connector), .code(let connector, _), .spawning(let connector, _): connector
        case .booting(let child, _, _): child.connector
        }
    }

    var deadline: Instant? {
        switch self {
        case .queued: nil
        case .launching(let limit), .code(_, let limit), .spawning(_, let limit), .booting(_, _, let limit): limit
        }
    }

    /// The process of a start that ends in this phase; what becomes of it is for `Closing.leave` to say.
    var process: Closing.Process {
        switch self {
        case .launching, .queued, .code: .none
        case .spawning: .spawning
        case .booting(let child, _, let limit): .alive(pid: child.pid, .kill(at: limit))
        }
    }
}

extension RestartType {
    func restarts(after verdict: Verdict) -> Bool {
        switch self {
        case .permanent: true
        case .transient: verdict.isAbnormal
        case .temporary: false
        }
    }
}
