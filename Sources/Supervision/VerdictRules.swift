import Glibc

/// Why the supervisor ends a life, where it is the supervisor that does.
public enum ImposedEnd: Hashable, Sendable {
    case stop(Requester)
    case restart(Requester)
    case shutdown
    case logout
    case kill(Int32, Requester)
    case startTimeout(Duration)
    case launchTimeout(Duration)
    case prepareTimeout(Duration)
    case launchFailed(String)
    case code(CodeFault)
    case spawnFailed(errno: Int32, program: String)
    case protocolViolation(String)
    case hung(Hang)
}

extension Verdict {
    /// The rules, in order of weight: what the supervisor did, what the pipe showed, what the process reported, how it
    /// exited. `kill` is the last signal that a user had sent to the process.
    static func of(imposed: ImposedEnd?, kill: SentKill?, evidence: Evidence) -> Verdict {
        var evidence = evidence
        let (cause, text) = judge(imposed: imposed, kill: kill, evidence: &evidence)
        return Verdict(cause: cause, text: text, evidence: evidence)
    }

    private static func judge(
        imposed: ImposedEnd?, kill: SentKill?, evidence: inout Evidence
    ) -> (Cause, String) {
        if let imposed { return judge(imposed, evidence: &evidence) }
        if case .violation(let how) = evidence.portEnd { return (.protocolViolation, "broke the protocol: \(how)") }
        if let kill, evidence.exit == .signalled(kill.signal) {
            return judge(.kill(kill.signal, kill.by), evidence: &evidence)
        }
        if let reported = evidence.reported { return judge(reported) }
        if let exit = evidence.exit { return judge(exit, evidence) }
        return (.portLost, "its connection to the core was closed\(during(evidence))")
    }

    private static func judge(_ imposed: ImposedEnd, evidence: inout Evidence) -> (Cause, String) {
        switch imposed {
        case .stop(let by):
            evidence.requester = by
            return (.stopped, "stopped by \(by)\(force(evidence))")
        case .restart(let by):
            evidence.requester = by
            return (.restarted, "closed to be restarted by \(by)\(force(evidence))")
        case .shutdown:
            evidence.requester = .platform
            return (.shutdown, "closed because the platform shuts down\(force(evidence))")
        case .logout:
            evidence.requester = .platform
            return (.logout, "closed because the user logged out\(force(evidence))")
        case .kill(let signal, let by):
            evidence.requester = by
            return (.killed, "killed with \(signalName(signal)) by \(by)\(during(evidence))")
        case .startTimeout(let limit):
            return (
                .startTimeout,
                "not ready \(limit.text) after its process was started\(during(evidence))\(force(evidence))"
            )
        case .launchTimeout(let limit):
            return (.launchTimeout, "the core did not launch it within \(limit.text)")
        case .prepareTimeout(let limit):
            return (.prepareTimeout, "the core did not give its code within \(limit.text)")
        case .launchFailed(let why):
            return (.launchFailed, "the core did not launch it: \(why)")
        case .code(let fault):
            return judge(fault)
        case .spawnFailed(let code, let program):
            evidence.errno = code
            let reason = String(cString: strerror(code))
            return (.spawnFailed, "its process could not be started: \(program): \(reason) (errno \(code))")
        case .protocolViolation(let how):
            return (.protocolViolation, "broke the protocol: \(how)")
        case .hung(let hang):
            return judge(hang)
        }
    }

    private static func judge(_ fault: CodeFault) -> (Cause, String) {
        switch fault {
        case .missing(let path): (.codeMissing, "no file \(path) in the app's code folder")
        case .empty(let path): (.codeEmpty, "\(path) is empty")
        case .tooLarge(let path, let size, let limit):
            (.codeTooLarge, "\(path) has \(size) bytes, over the limit of \(limit)")
        case .notUTF8(let path): (.codeNotUTF8, "\(path) is not UTF-8 text")
        case .unreadable(let path, let why): (.codeUnreadable, "\(path) cannot be read: \(why)")
        }
    }

    private static func judge(_ hang: Hang) -> (Cause, String) {
        let silence = "gave no turn for \(hang.silentFor.text)"
        if let stack = hang.stack {
            let place = stack.split(separator: "\n").first.map { ", last seen in \($0.trimmingPrefix("#0 "))" } ?? ""
            return (.tightLoop, "a tight loop: \(silence)\(place)")
        }
        let seen =
            switch hang.processState {
            case "R":
                "its process computes, but not in a call that the engine can look into (an endless chain of microtasks)"
            case "T", "t": "its process is stopped (SIGSTOP, or a debugger)"
            case "D": "its process waits for a disk"
            case "S": "its process sleeps"
            default: "its process shows nothing"
            }
        return (.stalledLoop, "a stalled loop: \(silence); \(seen)")
    }

    private static func judge(_ reported: ReportedFailure) -> (Cause, String) {
        let place = [reported.file, reported.line.map { "\($0)" }].compactMap { $0 }.joined(separator: ":")
        let saysWhere = place.isEmpty || reported.message.hasPrefix(place)
        let what = saysWhere ? reported.message : "\(reported.message) (\(place))"
        return switch reported.kind {
        case .uncaughtError: (.uncaughtError, "uncaught error: \(what)")
        case .unhandledRejection: (.unhandledRejection, "unhandled rejection: \(what)")
        case .syntax: (.syntaxError, "syntax error: \(what)")
        case .protocolViolation: (.protocolViolation, "its process saw the protocol broken: \(what)")
        case .sandbox: (.sandboxSetup, "its sandbox could not be set up: \(what)")
        case .engine: (.engineMissing, "its engine could not be set up: \(what)")
        case .start: (.startFailed, "did not start: \(what)")
        case .tightLoop: (.tightLoop, "a tight loop: \(what)")
        case .sandboxDenial: (.sandboxDenial, "made a system call that its sandbox forbids: \(what)")
        }
    }

    /// Without a report: the exit codes of `corehost-component` still say what they say.
    private static func judge(_ exit: ExitStatus, _ evidence: Evidence) -> (Cause, String) {
        switch exit {
        case .exited(0) where evidence.portEnd == .bye: (.closedItself, "closed itself")
        case .exited(0): (.exited, "exited with 0 without saying bye\(during(evidence))")
        case .exited(20): (.uncaughtError, "uncaught error (exit code 20, without a report)")
        case .exited(21): (.unhandledRejection, "unhandled rejection (exit code 21, without a report)")
        case .exited(22): (.syntaxError, "syntax error (exit code 22, without a report)")
        case .exited(23): (.protocolViolation, "its process saw the protocol broken (exit code 23, without a report)")
        case .exited(24): (.sandboxSetup, "its sandbox could not be set up (exit code 24, without a report)")
        case .exited(25): (.parentGone, "its process took the supervisor for gone (exit code 25)")
        case .exited(26): (.engineMissing, "its engine could not be set up (exit code 26, without a report)")
        case .exited(27): (.tightLoop, "a tight loop (exit code 27, without a report)")
        case .exited(28):
            (.sandboxDenial, "made a system call that its sandbox forbids (exit code 28, without a report)")
        case .exited(let code): (.exited, "exited with \(code)\(during(evidence))")
        case .signalled(let signal) where evidence.signals.contains(signal):
            (.signalled, "was closing itself and did not end\(during(evidence))\(force(evidence))")
        case .signalled(SIGSYS): (.sandboxDenial, "made a system call that its sandbox forbids (SIGSYS)")
        case .signalled(SIGKILL):
            (.signalled, "ended by SIGKILL from outside, or by the kernel for lack of memory\(during(evidence))")
        case .signalled(SIGABRT):
            (.signalled, "ended by SIGABRT: its engine gave up, often for lack of memory\(during(evidence))")
        case .signalled(let signal): (.signalled, "ended by \(signalName(signal))\(during(evidence))")
        }
    }

    private static func during(_ evidence: Evidence) -> String {
        evidence.phase.map { ", while starting (\($0))" } ?? ""
    }

    private static func force(_ evidence: Evidence) -> String {
        evidence.signals.last.map { "; it took \(signalName($0))" } ?? ""
    }
}

/// A signal that a user had sent to a process.
struct SentKill: Hashable, Sendable {
    let signal: Int32
    let by: Requester
}

extension Requester: CustomStringConvertible {
    public var description: String {
        switch self {
        case .user(let who): "the user (\(who))"
        case .core: "the core"
        case .platform: "the platform"
        }
    }
}
