internal import Control
internal import CoreHosting
internal import Glibc
internal import Logging
internal import Supervision
internal import Wire

/// What the log says: texts and fields are in `docs/architecture.md`, "What the log says of a life".
extension Supervisor {
    func say(_ level: LogLevel, _ text: String, _ fields: [String: String?] = [:]) {
        log.append(LogLine(level: level, source: .supervisor, stream: .supervisor, text: text, fields: fields))
    }

    func say(_ level: LogLevel, _ text: String, about driver: ComponentDriver, _ fields: [String: String?] = [:]) {
        var fields = fields
        fields["component"] = "\(driver.id)"
        fields["generation"] = "\(driver.machine.generation)"
        say(level, text, fields)
    }

    /// Once: what lets more happen than usual.
    func sayWhatIsAllowed() {
        if options.allowsEval {
            say(
                .warning,
                "EVAL IS ALLOWED: who may use the control socket can run JavaScript in components and in the core")
        }
        if options.allowsFaults {
            say(.warning, "FAULTS ARE ALLOWED: who may use the control socket can break things on purpose")
        }
    }

    /// Once: how components are confined, and loudly what is missing.
    func saySandbox() {
        guard sandbox.order != nil else {
            say(.warning, "NO SANDBOX: components can do all that this user can, as --no-sandbox says")
            return
        }
        guard !sandbox.missing.isEmpty else { return }
        say(
            .warning, "the sandbox of components is degraded: a part of it is missing",
            ["missing": sandbox.missing.map(ComponentSandbox.text).joined(separator: "; ")])
    }

    /// A line of the component's own.
    ///
    /// - Parameter place: where in its code it was written, as `<file>:<line>`.
    func record(
        _ level: LogLevel, _ text: String, stream: LogStream, at place: String? = nil, _ driver: ComponentDriver
    ) {
        let source = LogSource.component(id: "\(driver.id)", generation: driver.machine.generation)
        log.append(
            LogLine(level: level, source: source, stream: stream, text: text, fields: place.map { ["at": $0] } ?? [:]))
    }

    /// The end of a life.
    func record(_ verdict: Verdict, _ generation: UInt64, _ driver: ComponentDriver) {
        let life = PastLife(verdict: verdict, generation: generation, time: "\(LogTime.now())")
        driver.lastEnd = life
        driver.spawnedAt = nil
        driver.remember(life)
        defer {
            keepPostMortem(life, driver)
            driver.samples = []
        }
        noteEnd(verdict, generation, driver)
        shutdownReport?.add(verdict, of: driver.id, dropped: driver.traffic.dropped)
        // The next life may have begun already.
        say(
            verdict.isAbnormal ? .warning : .info, "component ended",
            [
                "component": "\(driver.id)", "generation": "\(generation)", "cause": verdict.cause.rawValue,
                "how sure": verdict.certainty.rawValue, "reason": verdict.text,
            ])
    }

    func stateChanged(_ driver: ComponentDriver) {
        driver.readyAt = nil
        switch driver.machine.state {
        case .running(_, let child, let readyAt):
            driver.readyAt = readyAt
            forgetProblem(ofFile: "\(driver.id.appDomain)/app\(driver.id.entrypoint)")
            let took = driver.spawnedAt.map { Self.milliseconds(($0, readyAt)) }
            say(
                .notice, "component ready", about: driver,
                ["connector": child.connector, "pid": "\(child.pid)", "after": took])
        case .waiting(let until, let verdict):
            say(
                .notice, "component waits", about: driver,
                ["delay": Self.milliseconds((now, max(now, until))), "reason": verdict.text])
        case .down(let verdict):
            say(.notice, "component down", about: driver, ["reason": verdict?.text ?? "not started"])
        case .failed(.quarantined(let verdict, let maxRestarts, let period)):
            say(
                .error, "component quarantined", about: driver,
                ["restarts": "\(maxRestarts)", "period": period.text, "reason": verdict.text])
        case .failed(.permanentFault(let verdict)):
            say(.error, "component failed", about: driver, ["reason": verdict.text])
        case .starting, .closing: break
        }
    }

    static func milliseconds(_ span: (Instant, Instant)) -> String {
        milliseconds(Double((span.1 - span.0).nanoseconds) / 1e6)
    }

    /// One digit behind the point: `21.3 ms`.
    static func milliseconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) ms" }
}

extension LogLevel {
    init(_ level: CoreConsoleLevel) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }

    init(_ level: ReportedLevel) {
        switch level {
        case .trace, .debug: self = .debug
        case .log, .info: self = .info
        case .warn: self = .warning
        case .error: self = .error
        }
    }
}

extension FatalSignal {
    /// - Parameter pid: of the process that it ended.
    init(_ report: FatalSignalReport, pid: Int32?) {
        let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]
        let origin: Origin =
            switch report.code {
            case 1... where faults.contains(report.signal): .fault(address: report.address)
            case 1...: .kernel
            default:
                switch Int32(bitPattern: report.pid) {
                case pid: .itself
                case getpid(): .supervisor
                case let sender:
                    .process(pid: report.pid, uid: report.uid, name: sender > 0 ? ProcessFigures.name(sender) : nil)
                }
            }
        self.init(signal: report.signal, origin: origin)
    }
}

extension ReportedFailure {
    init(_ report: FailureReport) {
        let kind: Kind =
            switch report.kind {
            case .uncaughtError: .uncaughtError
            case .unhandledRejection: .unhandledRejection
            case .syntax: .syntax
            case .protocolViolation: .protocolViolation
            case .sandbox: .sandbox
            case .engine: .engine
            case .start: .start
            case .tightLoop: .tightLoop
            case .outOfMemory: .outOfMemory
            }
        self.init(
            kind: kind, message: report.message, file: report.file, line: report.line.map(Int.init),
            stack: report.stack)
    }
}
