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
    case overMemory(OverMemory)
}

extension Verdict {
    /// The rules, in order of weight: what the supervisor did, what the pipe showed, what the process reported, how it
    /// exited. `kill` is the last signal that a user had sent to the process; of `faults`, which were injected, the first one
    /// that explains the end is named.
    static func of(
        imposed: ImposedEnd?, kill: SentKill?, faults: [InjectedFault] = [], evidence: Evidence
    ) -> Verdict {
        var evidence = evidence
        var (cause, certainty, text) = judge(imposed: imposed, kill: kill, evidence: &evidence)
        if case .fault(let fault) = evidence.requester {
            evidence.fault = fault
        } else if let fault = faults.first(where: { $0.explains(cause, evidence.exit) }) {
            evidence.fault = fault
            text += "; \(fault)"
        }
        return Verdict(cause: cause, certainty: certainty, text: text, evidence: evidence)
    }

    private static func judge(
        imposed: ImposedEnd?, kill: SentKill?, evidence: inout Evidence
    ) -> (Cause, Certainty, String) {
        func sure(_ certainty: Certainty, _ found: (Cause, String)) -> (Cause, Certainty, String) {
            (found.0, certainty, found.1)
        }
        if let imposed { return sure(.proved, judge(imposed, evidence: &evidence)) }
        if case .violation(let how) = evidence.portEnd {
            return (.protocolViolation, .proved, "broke the protocol: \(how)")
        }
        if let kill, evidence.exit == .signalled(kill.signal), evidence.isOursOrUnknown {
            return sure(.proved, judge(.kill(kill.signal, kill.by), evidence: &evidence))
        }
        if let reported = evidence.reported { return sure(.told, judge(reported)) }
        switch evidence.exit {
        case .exited(let code): return judge(exitCode: code, evidence)
        case .signalled(let signal): return judge(signal: signal, evidence)
        case nil: return (.portLost, .proved, "its connection to the core was closed\(during(evidence))")
        }
    }

    private static func judge(_ imposed: ImposedEnd, evidence: inout Evidence) -> (Cause, String) {
        switch imposed {
        case .stop(.core):
            evidence.requester = .core
            return (.closedByCore, "closed by the core\(force(evidence))")
        case .stop(let by):
            (evidence.command, evidence.requester) = ("stop", by)
            return (.stopped, "stopped by \(by)\(force(evidence))")
        case .restart(let by):
            (evidence.command, evidence.requester) = ("restart", by)
            return (.restarted, "closed to be restarted by \(by)\(force(evidence))")
        case .shutdown:
            evidence.requester = .platform
            return (.shutdown, "closed because the platform shuts down\(force(evidence))")
        case .logout:
            evidence.requester = .platform
            return (.logout, "closed because the user logged out\(force(evidence))")
        case .kill(let signal, let by):
            (evidence.command, evidence.requester) = ("kill \(signalName(signal))", by)
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
            evidence.hang = hang
            return judge(hang)
        case .overMemory(let over):
            return (
                .memoryLimit,
                "held \(over.held.sizeText) of memory; its limit is \(over.limit.sizeText)\(during(evidence))"
            )
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
        case .outOfMemory: (.outOfMemory, "out of memory: \(what)")
        }
    }

    /// Without a report: the exit codes of `corehost-component` still say what they say.
    private static func judge(exitCode code: Int32, _ evidence: Evidence) -> (Cause, Certainty, String) {
        let silently = "(exit code \(code), without a report)"
        return switch code {
        case 0 where evidence.portEnd == .bye: (.closedItself, .proved, "closed itself")
        case 0: (.exited, .proved, "exited with 0 without saying bye\(during(evidence))")
        case 20: (.uncaughtError, .told, "uncaught error \(silently)")
        case 21: (.unhandledRejection, .told, "unhandled rejection \(silently)")
        case 22: (.syntaxError, .told, "syntax error \(silently)")
        case 23: (.protocolViolation, .told, "its process saw the protocol broken \(silently)")
        case 24: (.sandboxSetup, .told, "its sandbox could not be set up \(silently)")
        case 25: (.parentGone, .told, "its process took the supervisor for gone (exit code 25)")
        case 26: (.engineMissing, .told, "its engine could not be set up \(silently)")
        case 27: (.tightLoop, .told, "a tight loop \(silently)")
        case 28: (.sandboxDenial, .told, "made a system call that its sandbox forbids \(silently)")
        case 29: (.outOfMemory, .told, "out of memory \(silently)")
        default: (.exited, .proved, "exited with \(code)\(during(evidence))")
        }
    }

    private static func judge(signal: Int32, _ evidence: Evidence) -> (Cause, Certainty, String) {
        let name = signalName(signal)
        let during = during(evidence)
        if evidence.signals.contains(signal), evidence.isOursOrUnknown {
            guard evidence.portEndedFirst else {
                return (.closeTimeout, .proved, "was closing itself and did not end\(during)\(force(evidence))")
            }
            return (
                .portLost, .proved, "closed its connection to the core and did not end\(during)\(force(evidence))"
            )
        }
        if let fatal = evidence.fatal, fatal.signal == signal { return judge(fatal, name, during) }
        if signal == SIGSYS {
            return (.sandboxDenial, .likely, "made a system call that its sandbox forbids (SIGSYS)")
        }
        guard signal == SIGKILL else {
            let who =
                switch signal {
                case SIGABRT: ", by its engine, which gave up, or from outside"
                case SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP: ", for a fault of its own, or from outside"
                default: ""
                }
            return (.signalled, .likely, "ended by \(name)\(who)\(during)")
        }
        switch evidence.kernel {
        case .killed(let isGroup, _):
            let of = isGroup ? "its control group's" : "the machine's"
            return (.outOfMemory, .proved, "killed by the kernel for want of memory: \(of) was used up\(during)")
        case .killedInGroup:
            return (
                .outOfMemory, .likely,
                "ended by SIGKILL when the kernel killed in its control group for want of memory\(during)"
            )
        case .silent:
            return (
                .signalled, .likely, "ended by SIGKILL from outside; the kernel tells of no want of memory\(during)"
            )
        case nil:
            return (
                .signalled, .likely, "ended by SIGKILL from outside, or by the kernel for want of memory\(during)"
            )
        }
    }

    private static func judge(
        _ fatal: FatalSignal, _ name: String, _ during: String
    ) -> (Cause, Certainty, String) {
        switch fatal.origin {
        case .fault(let address):
            let place = fatal.signal == SIGTRAP ? "" : " at address 0x\(String(address, radix: 16))"
            return (.crashed, .told, "crashed: \(name)\(place)\(during)")
        case .itself:
            let why = fatal.signal == SIGABRT ? ": its engine or a library of it gave up" : " to itself"
            return (.aborted, .told, "ended by sending \(name)\(why)\(during)")
        case .supervisor: return (.signalled, .told, "ended by \(name) of the supervisor\(during)")
        case .kernel: return (.signalled, .told, "ended by \(name) of the kernel\(during)")
        case .process(0, let uid, _):
            return (.signalled, .told, "ended by \(name) from outside of this container (uid \(uid))\(during)")
        case .process(let pid, let uid, let program):
            let who = program.map { ", \($0)" } ?? ""
            return (.signalled, .told, "ended by \(name) from process \(pid) (uid \(uid)\(who))\(during)")
        }
    }

    private static func during(_ evidence: Evidence) -> String {
        evidence.phase.map { ", while starting (\($0))" } ?? ""
    }

    private static func force(_ evidence: Evidence) -> String {
        evidence.signals.last.map { "; it took \(signalName($0))" } ?? ""
    }
}

extension Evidence {
    /// The process does not say that the signal came from somebody else than the supervisor.
    fileprivate var isOursOrUnknown: Bool {
        guard let fatal, exit == .signalled(fatal.signal) else { return true }
        return fatal.origin == .supervisor
    }
}

/// A signal that a user, or an injected fault, had sent to a process.
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
        case .fault(let fault): "\(fault)"
        }
    }
}
