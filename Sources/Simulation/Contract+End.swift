import Glibc
import Supervision

/// How lives end, and what follows.
extension Contract {
    mutating func endIfUp(_ cause: Verdict.Cause, _ now: Instant) -> [Deed] {
        isBooting || stage == .running ? end(.other(cause), .kill, now) : []
    }

    mutating func violated(_ now: Instant) -> [Deed] {
        guard stage == .closing, process == .alive else { return endIfUp(.protocolViolation, now) }
        imposed = imposed ?? .other(.protocolViolation)
        return signal(SIGKILL, now)
    }

    mutating func end(
        _ imposed: Imposed?, _ manner: Manner, exit: ExitStatus? = nil, portEnd: PortEnd? = nil, _ now: Instant
    ) -> [Deed] {
        self.imposed = imposed
        guard connector != nil else {
            return endWithoutConnector(cause(ofImposed: imposed), now)
        }
        var deeds: [Deed] = stage == .running ? [] : [.do(.releaseSlot)]
        (stageAtEnd, stage, deadline, nextSignal) = (stage, .closing, nil, SIGTERM)
        self.portEnd = portEnd
        if let exit {
            deeds += exited(exit, now)
        } else {
            deeds += leave(manner, now)
        }
        return deeds + overIfDone(now)
    }

    private mutating func leave(_ manner: Manner, _ now: Instant) -> [Deed] {
        guard process == .alive else { return askPort { .closePort(connector: $0) } }
        switch manner {
        case .gently:
            (nextSignal, deadline) = (SIGTERM, now + policy.stopGrace)
            return [.do(.sendStop)] + askPort { .closePort(connector: $0) }
        case .letEnd(let grace):
            (nextSignal, deadline) = (SIGTERM, now + grace)
            return []
        case .terminate: return signal(SIGTERM, now)
        case .kill: return signal(SIGKILL, now)
        }
    }

    private mutating func askPort(_ action: (String) -> ComponentAction) -> [Deed] {
        guard let connector, !portIsAsked, portEnd == nil else { return [] }
        portIsAsked = true
        return [.do(action(connector))]
    }

    mutating func signal(_ number: Int32, _ now: Instant) -> [Deed] {
        if case .endOfFile? = portEnd, signals.isEmpty { portEndedFirst = true }
        signals.append(number)
        (nextSignal, deadline) = (SIGKILL, now + policy.killAfter)
        return [.do(.signal(number))]
    }

    mutating func exited(_ status: ExitStatus, _ now: Instant) -> [Deed] {
        (process, exit, deadline) = (.gone, status, nil)
        if let readyAt { readyFor = now - readyAt }
        return askPort { .tellCoreExited(connector: $0) }
    }

    mutating func portClosed(_ connector: String, _ end: PortEnd, _ now: Instant) -> [Deed] {
        guard connector == self.connector, !isAtRest else { return [] }
        if stage == .closing {
            guard portEnd == nil else { return [] }
            portEnd = end
            var deeds: [Deed] = []
            if case .violation = end, process == .alive { deeds = signal(SIGKILL, now) }
            return deeds + overIfDone(now)
        }
        switch end {
        case .bye: return self.end(nil, .letEnd(policy.stopGrace), portEnd: end, now)
        case .endOfFile: return self.end(nil, .letEnd(policy.killAfter), portEnd: end, now)
        case .violation: return self.end(nil, .kill, portEnd: end, now)
        case .byPlatform:
            if wanted == .up { wanted = .down }
            return self.end(.stop(.core), .gently, portEnd: end, now)
        }
    }

    mutating func tick(_ now: Instant) -> [Deed] {
        guard let deadline, now >= deadline else { return [] }
        switch stage {
        case .waiting: return launch(now)
        case .launching: return endWithoutConnector(.launchTimeout, now)
        case .code: return end(.other(.prepareTimeout), .kill, now)
        case .spawning, .spawned, .hello, .preloaded: return end(.other(.startTimeout), .terminate, now)
        case .closing: return signal(nextSignal, now)
        case .down, .failed, .queued, .running: return []
        }
    }

    /// A start that the core had not answered: there is no port, and no promise.
    mutating func endWithoutConnector(_ cause: Verdict.Cause, _ now: Instant) -> [Deed] {
        [.record(cause, generation)] + follow(cause, now)
    }

    mutating func overIfDone(_ now: Instant) -> [Deed] {
        guard let connector, portEnd != nil, process == .none || process == .gone else { return [] }
        let cause = self.cause
        return [.record(cause, generation)] + (isReady ? [] : [.settle(connector, cause)]) + follow(cause, now)
    }

    private mutating func follow(_ cause: Verdict.Cause, _ now: Instant) -> [Deed] {
        let next = next
        (connector, deadline, process) = (nil, nil, .none)
        if isForOneConnection { wanted = .down }
        guard wanted == .up else { return rest() }
        if next == .startAtOnce { return launch(now) }
        if Self.faultsOfCode.contains(cause) {
            stage = .failed
            return []
        }
        let restarted =
            switch policy.restart {
            case .permanent: true
            case .transient: !Self.normalEnds.contains(cause)
            case .temporary: false
            }
        guard restarted else {
            if next == .demanded { return launch(now) }
            wanted = .down
            return rest()
        }
        restartTimes.removeAll { now - $0 >= policy.period }
        guard restartTimes.count < policy.maxRestarts else {
            stage = .failed
            return []
        }
        restartTimes.append(now)
        restarts += 1
        let delay = nextDelay()
        guard delay > .zero else { return launch(now) }
        (stage, deadline) = (.waiting, now + delay * (1 + policy.backoff.jitter * (2 * random - 1)))
        return []
    }

    private mutating func nextDelay() -> Duration {
        let last = lastDelay ?? .zero
        let healthy = min(max(last * 2, .seconds(10)), .seconds(600))
        if let readyFor, readyFor >= healthy {
            lastDelay = .zero
        } else {
            lastDelay = min(last == .zero ? policy.backoff.first : last * policy.backoff.factor, policy.backoff.max)
        }
        return lastDelay ?? .zero
    }

    func usedRestarts(_ now: Instant) -> Int { restartTimes.count { now - $0 < policy.period } }

    mutating func rest() -> [Deed] {
        (stage, deadline) = (.down, nil)
        return isForOneConnection ? [.do(.forget)] : []
    }

    // MARK: Causes

    static let normalEnds: Set<Verdict.Cause> = [
        .closedItself, .closedByCore, .stopped, .restarted, .shutdown, .logout,
    ]
    static let faultsOfCode: Set<Verdict.Cause> = [
        .syntaxError, .codeMissing, .codeEmpty, .codeTooLarge, .codeNotUTF8,
    ]

    static func cause(_ fault: CodeFault) -> Verdict.Cause {
        switch fault {
        case .missing: .codeMissing
        case .empty: .codeEmpty
        case .tooLarge: .codeTooLarge
        case .notUTF8: .codeNotUTF8
        case .unreadable: .codeUnreadable
        }
    }

    func cause(ofImposed imposed: Imposed?) -> Verdict.Cause {
        switch imposed {
        case .stop(.core): .closedByCore
        case .stop: .stopped
        case .restart: .restarted
        case .other(let cause): cause
        case nil: .portLost
        }
    }

    /// By weight: what the supervisor did, the pipe, the user's signal, the report, the exit.
    private var cause: Verdict.Cause {
        if imposed != nil { return cause(ofImposed: imposed) }
        if case .violation? = portEnd { return .protocolViolation }
        guard let exit else { return .portLost }
        let isOurs = fatal.map { exit != .signalled($0.signal) || $0.origin == .supervisor } ?? true
        if let sentKill, exit == .signalled(sentKill), isOurs { return .killed }
        if let reported { return Self.causes[reported] ?? .exited }
        switch exit {
        case .exited(0): return portEnd == .bye ? .closedItself : .exited
        case .exited(let code): return Self.causesOfCodes[code] ?? .exited
        case .signalled(let signal):
            if signals.contains(signal), isOurs { return portEndedFirst ? .portLost : .closeTimeout }
            if let fatal, fatal.signal == signal {
                switch fatal.origin {
                case .fault: return .crashed
                case .itself: return .aborted
                case .supervisor, .kernel, .process: return .signalled
                }
            }
            if signal == SIGSYS { return .sandboxDenial }
            switch kernel {
            case .killed, .killedInGroup: return signal == SIGKILL ? .outOfMemory : .signalled
            case .silent, nil: return .signalled
            }
        }
    }

    private static let causes: [ReportedFailure.Kind: Verdict.Cause] = [
        .uncaughtError: .uncaughtError, .unhandledRejection: .unhandledRejection, .syntax: .syntaxError,
        .protocolViolation: .protocolViolation, .sandbox: .sandboxSetup, .engine: .engineMissing, .start: .startFailed,
        .tightLoop: .tightLoop, .sandboxDenial: .sandboxDenial, .outOfMemory: .outOfMemory,
    ]

    private static let causesOfCodes: [Int32: Verdict.Cause] = [
        20: .uncaughtError, 21: .unhandledRejection, 22: .syntaxError, 23: .protocolViolation, 24: .sandboxSetup,
        25: .parentGone, 26: .engineMissing, 27: .tightLoop, 28: .sandboxDenial, 29: .outOfMemory,
    ]
}
