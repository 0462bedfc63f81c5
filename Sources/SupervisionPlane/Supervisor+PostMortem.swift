internal import CSystem
internal import Control
internal import CoreHosting
internal import EventLoop
internal import Logging
internal import PostMortems
internal import Supervision

/// What is kept of each end of a life: docs/verdicts.md describes it.
extension Supervisor {
    private static let mostLines = 20
    private static let mostLineBytes = 8 * 1024
    private static let mostStackBytes = 4 * 1024

    /// With its verdict just recorded and what follows decided.
    func keepPostMortem(_ life: PastLife, _ driver: ComponentDriver) {
        let lines = log.recent(
            .component("\(driver.id)"), last: Self.mostLines, maxBytes: Self.mostLineBytes)
        let members: [(String, JSONValue)] = [
            ("component", .string("\(driver.id)")), ("generation", JSONValue(life.generation)),
            ("time", .string(life.time)), ("cause", .string(life.verdict.cause.rawValue)),
            ("certainty", .string(life.verdict.certainty.rawValue)), ("message", .string(life.verdict.text)),
            ("version", JSONValue(driver.info.version)), ("evidence", evidence(life.verdict.evidence)),
            ("decision", decision(life.verdict, driver)), ("port", port(driver, life.generation)),
            ("samples", .array(driver.samples.map { sample($0) })),
        ]
        postMortems.keep(members.map { .init($0.0, $0.1) }, lines, of: "\(driver.id)")
    }

    // MARK: Parts

    private func evidence(_ evidence: Evidence) -> JSONValue {
        var code: Int32?
        var signal: String?
        switch evidence.exit {
        case .exited(let value): code = value
        case .signalled(let number): signal = signalName(number)
        case nil: break
        }
        return [
            "exitCode": JSONValue(code), "signal": JSONValue(signal), "signalFrom": origin(evidence.fatal),
            "kernel": kernel(evidence.kernel), "signalsSent": JSONValue(evidence.signals.map(signalName)),
            "command": JSONValue(evidence.command), "requester": JSONValue(evidence.requester.map { "\($0)" }),
            "portEnd": JSONValue(evidence.portEnd.map(Self.words)), "report": report(evidence.reported),
            "watchdog": watchdog(evidence.hang), "phase": JSONValue(evidence.phase),
            "readyFor": JSONValue(evidence.readyFor.map(Self.seconds)), "errno": JSONValue(evidence.errno),
            "errnoName": JSONValue(evidence.errno.flatMap { chs_errno_name($0) }.map { String(cString: $0) }),
            "fault": JSONValue(evidence.fault.map(FaultTag.init)),
        ]
    }

    private func origin(_ fatal: FatalSignal?) -> JSONValue {
        guard let fatal else { return .null }
        var pid: UInt32?
        var uid: UInt32?
        var program: String?
        var address: String?
        let from: String
        switch fatal.origin {
        case .fault(let place): (from, address) = ("fault", "0x" + String(place, radix: 16))
        case .itself: from = "itself"
        case .supervisor: from = "supervisor"
        case .kernel: from = "kernel"
        case .process(let sender, let user, let name): (from, pid, uid, program) = ("process", sender, user, name)
        }
        return [
            "signal": .string(signalName(fatal.signal)), "from": .string(from), "pid": JSONValue(pid),
            "uid": JSONValue(uid), "program": JSONValue(program), "address": JSONValue(address),
        ]
    }

    private func kernel(_ word: KernelWord?) -> JSONValue {
        switch word {
        case .killed(_, let line): .string(line)
        case .killedInGroup(let count): .string("\(count) kills for want of memory in the control group")
        case .silent: "no kill for want of memory"
        case nil: .null
        }
    }

    private static func words(_ end: PortEnd) -> String {
        switch end {
        case .bye: "bye"
        case .endOfFile(partialFrame: 0): "its end was closed"
        case .endOfFile(let bytes): "its end was closed after \(bytes) bytes of a frame that is not whole"
        case .violation(let how): "violation: \(how)"
        case .byPlatform: "closed by the platform"
        }
    }

    private func report(_ reported: ReportedFailure?) -> JSONValue {
        guard let reported else { return .null }
        return [
            "kind": .string(reported.kind.rawValue), "message": .string(reported.message),
            "file": JSONValue(reported.file), "line": JSONValue(reported.line),
            "stack": JSONValue(reported.stack.map(Self.cut)),
        ]
    }

    private func watchdog(_ hang: Hang?) -> JSONValue {
        guard let hang else { return .null }
        return [
            "silentFor": .double(Self.seconds(hang.silentFor)), "stack": JSONValue(hang.stack.map(Self.cut)),
            "processState": JSONValue(hang.processState.map { String($0) }),
        ]
    }

    private static func cut(_ text: String) -> String { BoundedText.text(text, bound: mostStackBytes) }

    /// What follows, as the machine has decided it.
    private func decision(_ verdict: Verdict, _ driver: ComponentDriver) -> JSONValue {
        let machine = driver.machine
        let policy = machine.spec.policy
        let (next, delay): (String, Double?) =
            switch machine.state {
            case .waiting(let until, _): ("restart", Self.seconds(until - now))
            case .starting: ("restart", 0)
            case .failed: ("failed", nil)
            case .down, .running, .closing: ("down", nil)
            }
        return [
            "next": .string(next), "delay": JSONValue(delay), "wanted": .string(machine.wanted.name),
            "type": .string(policy.restart.rawValue), "restartsInPeriod": JSONValue(machine.restartsInPeriod(at: now)),
            "maxRestarts": JSONValue(policy.maxRestarts), "period": .double(Self.seconds(policy.period)),
            "healthyPeriod": .double(Self.seconds(machine.healthyPeriod)),
            "timers": [
                "startTimeout": .double(Self.seconds(policy.startTimeout)),
                "stopGrace": .double(Self.seconds(policy.stopGrace)),
                "killAfter": .double(Self.seconds(policy.killAfter)),
                "heartbeatHard": .double(Self.seconds(policy.heartbeat.hard)),
            ],
        ]
    }

    private func port(_ driver: ComponentDriver, _ generation: UInt64) -> JSONValue {
        let traffic = driver.traffic
        return [
            "framesIn": JSONValue(traffic.framesIn), "framesOut": JSONValue(traffic.framesOut),
            "bytesIn": JSONValue(traffic.bytesIn), "bytesOut": JSONValue(traffic.bytesOut),
            "dropped": JSONValue(traffic.dropped),
            "last": .array(
                traffic.lastFrames.map { frame in
                    [
                        "direction": frame.isFromComponent ? "in" : "out", "kind": .string(frame.kind),
                        "length": JSONValue(frame.length),
                        "generation": JSONValue(UInt16(truncatingIfNeeded: generation)),
                        "sequence": JSONValue(frame.sequence),
                        "age": .double(max(0, Self.seconds(now - Instant(nanoseconds: frame.time)))),
                    ]
                }),
        ]
    }

    private func sample(_ sample: LifeSample) -> JSONValue {
        [
            "age": .double(Self.seconds(now - sample.time)), "lag": .double(Self.seconds(sample.lag)),
            "memory": JSONValue(sample.memory), "heap": JSONValue(sample.heap),
        ]
    }

    private static func seconds(_ duration: Duration) -> Double { Double(duration.nanoseconds) / 1e9 }

    // MARK: Earlier runs

    /// Before the first death of this run is kept.
    func readEarlierVerdicts() {
        postMortems.latest(ComponentDriver.mostPastLives) { [unowned self] kept in
            earlierVerdicts = kept.mapValues { $0.reversed().compactMap(Self.exit) }
            let damaged = postMortems.report.damaged
            if damaged > 0 {
                say(
                    .warning, "some of what was kept of deaths cannot be read",
                    ["lines": "\(damaged)", "path": folder.deaths])
            }
        }
    }

    func verdicts(_ driver: ComponentDriver) -> [InspectReply.Exit] {
        let earlier = earlierVerdicts[LogFileName.withoutInstance("\(driver.id)")] ?? []
        return Array((driver.pastLives.map(exit) + earlier).prefix(ComponentDriver.mostPastLives))
    }

    /// Nil for one that another version has kept.
    private static func exit(_ death: JSONValue) -> InspectReply.Exit? {
        guard let generation = death["generation"]?.int, let time = death["time"]?.string,
            let cause = death["cause"]?.string, let certainty = death["certainty"]?.string,
            let message = death["message"]?.string
        else { return nil }
        let evidence = death["evidence"] ?? .null
        return InspectReply.Exit(
            generation: Int(generation), time: time, cause: cause, certainty: certainty, message: message,
            code: evidence["exitCode"]?.int.map(Int.init), signal: evidence["signal"]?.string,
            uptime: evidence["readyFor"]?.double, fault: FaultTag(kept: evidence))
    }

    // MARK: What is asked

    /// - Parameter number: nil = all in short; 0 = the last one.
    func deaths(_ name: String, _ number: Int?, _ exchange: ControlExchange) throws(ControlError) {
        let id: String
        do {
            id = "\(try find(name).id)"
        } catch {
            // One that was there in an earlier run, or is gone with its app.
            guard name.contains("/") else { throw error }
            readDeaths(of: name, number, exchange, ifNone: error)
            return
        }
        readDeaths(of: id, number, exchange, ifNone: nil)
    }

    private func readDeaths(
        of id: String, _ number: Int?, _ exchange: ControlExchange, ifNone failure: ControlError?
    ) {
        postMortems.read(id) { [unowned self] kept in
            let deaths = id == LogFileName.withoutInstance(id) ? kept : kept.filter { $0["component"]?.string == id }
            if deaths.isEmpty, let failure {
                exchange.fail(failure)
            } else if let number {
                let death = number == 0 ? deaths.last : deaths.first { $0["number"]?.int == Int64(number) }
                guard let death else {
                    exchange.fail(Self.noSuchDeath(id, number, deaths))
                    return
                }
                exchange.reply(DeathReply(death: death))
            } else {
                exchange.reply(deathsReply(id, deaths))
            }
        }
    }

    private static func noSuchDeath(_ id: String, _ number: Int, _ deaths: [JSONValue]) -> ControlError {
        let numbers = deaths.compactMap { $0["number"]?.int }
        guard let first = numbers.first, let last = numbers.last else {
            return ControlError(.failed, "\(id): no end of a life is kept")
        }
        return ControlError(.failed, "\(id): no death has the number \(number); kept are \(first) to \(last)")
    }

    private func deathsReply(_ id: String, _ deaths: [JSONValue]) -> DeathsReply {
        var report = postMortems.report
        var rows: [DeathsReply.Row] = []
        for death in deaths.reversed() {
            do {
                rows.append(try DeathsReply.Row(death))
            } catch {
                report.damaged += 1
            }
        }
        return DeathsReply(
            component: id, deaths: rows, damaged: report.damaged, lost: report.lost, problem: report.failure)
    }

    func why(_ driver: ComponentDriver) -> WhyReply {
        let machine = driver.machine
        let isDown = if case .down = machine.state { true } else { false }
        let own = machine.explanation(at: now)
        let explanation =
            backgroundTasks.task(of: driver.id)?.explanation(own, isDown: isDown, at: taskNow, machineNow: now) ?? own
        return WhyReply(
            component: "\(driver.id)", state: machine.state.name, phase: machine.state.phaseName,
            wanted: machine.wanted.name, reason: explanation.reason, rule: explanation.rule,
            evidence: explanation.evidence, next: explanation.next,
            nextIn: explanation.nextAt.map { max(0, Self.seconds($0 - now)) },
            commands: explanation.commands.map {
                WhyReply.Command(command: "corehost \($0.name) \(driver.id)", effect: $0.effect)
            })
    }
}

extension DeathsReply.Row {
    /// What is kept has more; the decision and the fault are one level down.
    fileprivate init(_ death: JSONValue) throws(JSONShapeError) {
        let next = JSONValue.Member("next", death["decision"]?["next"] ?? .null)
        let fault = JSONValue.Member("fault", death["evidence"]?["fault"] ?? .null)
        try self.init(json: .object((death.members ?? []) + [next, fault]))
    }
}

/// How a component was at one of its signs of life.
struct LifeSample {
    static let most = 16

    let time: Instant
    /// From the question to the answer, which a turn of its JavaScript gave.
    let lag: Duration
    /// Bytes, resident.
    let memory: Int?
    /// Bytes that its engine's objects hold; nil if the engine was not asked.
    let heap: Int?
}
