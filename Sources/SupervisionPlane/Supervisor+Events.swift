internal import Control
internal import Logging
internal import Supervision

/// What goes into the journal, for `corehost events`.
extension Supervisor {
    func note(_ kind: EventKind, about driver: ComponentDriver, _ fields: [String: String?] = [:]) {
        journal.record(kind, component: "\(driver.id)", generation: driver.machine.generation, fields)
    }

    func events(_ request: EventsRequest, _ exchange: ControlExchange) throws(ControlError) {
        var component: String?
        if let name = request.id { component = journal.knows(component: name) ? name : "\(try find(name).id)" }
        journal.serve(request, component: component, exchange)
    }

    /// After a step of a machine.
    func noteChange(_ driver: ComponentDriver, from before: String, restarts: Int) {
        let state = driver.machine.state
        guard state.name != before else { return }
        var fields: [String: String?] = ["from": before, "to": state.name, "wanted": driver.machine.wanted.name]
        switch state {
        case .running(_, let child, _): fields["pid"] = "\(child.pid)"
        case .waiting(let until, let verdict):
            fields["delay"] = Self.milliseconds((now, until))
            fields["cause"] = verdict.cause.rawValue
        case .down(let verdict?), .failed(.quarantined(let verdict, _, _)), .failed(.permanentFault(let verdict)):
            fields["cause"] = verdict.cause.rawValue
        case .down(nil), .starting, .closing: break
        }
        note(.componentState, about: driver, fields)
        if driver.machine.restarts > restarts {
            note(.componentRestarts, about: driver, ["restarts": "\(driver.machine.restarts)"])
        }
        switch state {
        case .failed(.quarantined(let verdict, let maxRestarts, let period)):
            note(
                .componentQuarantined, about: driver,
                [
                    "restarts": "\(maxRestarts)", "period": period.text, "cause": verdict.cause.rawValue,
                    "next": "corehost start \(driver.id)",
                ])
        case .failed(.permanentFault(let verdict)):
            note(.componentFailed, about: driver, ["cause": verdict.cause.rawValue, "reason": verdict.text])
        case .down, .starting, .running, .closing, .waiting: break
        }
    }

    func noteEnd(_ verdict: Verdict, _ generation: UInt64, _ driver: ComponentDriver) {
        let evidence = verdict.evidence
        let exit: String? =
            switch evidence.exit {
            case .exited(let code): "exit code \(code)"
            case .signalled(let number): signalName(number)
            case nil: nil
            }
        journal.record(
            verdict.isAbnormal ? .componentDied : .componentEnded, component: "\(driver.id)", generation: generation,
            [
                "cause": verdict.cause.rawValue, "certainty": verdict.certainty.rawValue, "reason": verdict.text,
                "exit": exit,
                "by": evidence.requester.map { "\($0)" }, "ready for": evidence.readyFor.map(\.text),
                "fault": evidence.fault.map { "\($0.id) \($0.kind)" },
            ])
    }

    /// Each change that was asked for, once it is settled.
    func note(_ entry: AuditEntry) {
        let outcome: String
        switch entry.outcome {
        case .asked: return
        case .done: outcome = "done"
        case .failed(let error): outcome = "failed: \(error.message)"
        case .abandoned: outcome = "the caller left before the answer"
        }
        journal.record(.command, entry.fields.merging(["command": entry.request.verb, "outcome": outcome]) { $1 })
    }

    /// The log's files have stopped taking lines, or take them again.
    func noteFiles(_ state: LogFilesState, _ report: LogWriterReport) {
        let lost = ["lost": "\(report.lost)", "dropped": "\(report.dropped)"]
        switch state {
        case .failing(let error): journal.record(.logLoss, lost.merging(["reason": "\(error)"]) { $1 })
        case .behind:
            journal.record(.logLoss, lost.merging(["reason": "lines come faster than they are written"]) { $1 })
        case .well: journal.record(.logRecovered, lost)
        }
    }

    func noteLogin() {
        switch login.state {
        case .notLoggedIn where !options.isLocal: journal.record(.login, ["state": "not-logged-in"])
        case .loggingIn(let attempt): journal.record(.login, ["state": "logging-in", "user": attempt.address])
        case .loggedIn(let userId): journal.record(.login, ["state": "logged-in", "user": userId])
        case .closingComponents(let userId): journal.record(.login, ["state": "logging-out", "user": userId])
        case .stuck(let reason): journal.record(.login, ["state": "stuck", "reason": reason])
        case .booting, .notLoggedIn, .renewingCore, .ended: break
        }
    }
}
