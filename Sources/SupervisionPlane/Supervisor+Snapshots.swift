internal import Control
internal import CoreHosting
internal import EventLoop
internal import Glibc
internal import Logging
internal import Supervision
internal import Wire

/// Copies of what is, for `ps`, `inspect`, `status`.
extension Supervisor {
    func row(_ driver: ComponentDriver) -> ComponentRow {
        let machine = driver.machine
        let hasConnector = machine.connectorID != nil
        return ComponentRow(
            id: "\(driver.id)", connector: machine.connectorID, app: driver.id.appDomain,
            entry: driver.id.entrypoint, kind: driver.info.startsWithSystem ? "startup" : "service",
            state: machine.state.name, phase: machine.state.phaseName, wanted: machine.wanted.name,
            pid: machine.pid.map(Int.init), generation: Int(machine.generation),
            uptime: driver.readyAt.map { seconds(since: $0) }, restarts: machine.restarts,
            memory: machine.pid.flatMap(ProcessFigures.residentMemory),
            heap: driver.memory.figures.map { Int(clamping: $0.0.heap) },
            in: hasConnector ? driver.traffic.framesIn : nil, out: hasConnector ? driver.traffic.framesOut : nil,
            lag: driver.lag?.inSeconds, calls: hasConnector ? driver.traffic.openCalls : nil,
            status: driver.child == nil ? nil : driver.statusText)
    }

    func inspect(_ driver: ComponentDriver) -> InspectReply {
        let machine = driver.machine
        let policy = machine.spec.policy
        var nextIn: Double?
        if case .waiting(let until, _) = machine.state { nextIn = max(0, -seconds(since: until)) }
        let problem: [String] =
            if case .failed(let failure) = machine.state {
                ["\(failure); mend it, then `corehost start \(driver.id)`"]
            } else { [] }
        return InspectReply(
            component: row(driver), version: driver.info.version, services: driver.info.services,
            restart: InspectReply.Restart(
                type: policy.restart.rawValue, recent: machine.restartsInPeriod(at: now), max: policy.maxRestarts,
                period: Double(policy.period.nanoseconds) / 1e9, nextIn: nextIn),
            lastExit: driver.lastEnd.map(exit),
            process: machine.pid.map { pid in
                InspectReply.Process(
                    pid: Int(pid), memory: ProcessFigures.residentMemory(pid),
                    proportionalMemory: ProcessFigures.proportionalMemory(pid), cpu: ProcessFigures.processorTime(pid),
                    threads: ProcessFigures.threads(pid), descriptors: ProcessFigures.descriptors(pid))
            },
            memory: memoryShape(driver), sandbox: sandboxShape(driver),
            problems: problem
                + problems.filter { $0.appDomain == driver.id.appDomain }.map(\.message))
    }

    private func sandboxShape(_ driver: ComponentDriver) -> SandboxShape? {
        guard let pid = driver.machine.pid else { return nil }
        guard sandbox.order != nil else { return SandboxShape(state: "off") }
        guard let report = driver.sandbox else { return nil }
        return SandboxShape(
            state: report.missing.isEmpty ? "on" : "degraded", walls: report.walls.map(\.name),
            missing: report.missing.map(ComponentSandbox.text), kernel: ProcessFigures.confinement(pid))
    }

    func exit(_ life: PastLife) -> InspectReply.Exit {
        var code: Int?
        var signal: String?
        switch life.verdict.evidence.exit {
        case .exited(let value): code = Int(value)
        case .signalled(let number): signal = signalName(number)
        case nil: break
        }
        return InspectReply.Exit(
            generation: Int(life.generation), time: life.time, cause: life.verdict.cause.rawValue,
            certainty: life.verdict.certainty.rawValue, message: life.verdict.text, code: code, signal: signal,
            uptime: life.verdict.evidence.readyFor.map { Double($0.nanoseconds) / 1e9 },
            fault: life.verdict.evidence.fault.map(FaultTag.init))
    }

    var status: StatusReply {
        let states = ["down", "starting", "running", "closing", "waiting", "failed"]
        let all = drivers.values.map(\.machine.state.name)
        let counts = states.map { state in StatusReply.Count(state, all.count { $0 == state }) }
        let report = log.report
        return StatusReply(
            version: Version.number, pid: Int(getpid()), uptime: seconds(since: startedAt),
            state: phase == .booting ? "booting" : phase == .running ? "running" : "closing",
            login: loginName, user: login.userId,
            places: StatusReply.Places(
                data: folder.path, apps: apps, resources: places.resources, core: places.bundles,
                configuration: options.configurationFile, socket: options.socketPath, logs: folder.logs),
            components: counts.filter { $0.number > 0 }, ports: corePorts, keyStores: keyStores,
            sandbox: sandbox.summary,
            logs: StatusReply.Logs(
                written: report.written, lost: report.lost, dropped: report.dropped,
                failure: report.failure.map { "\($0)" }),
            calls: coreCalls.overdue.map { StatusReply.Call(name: $0.name, age: seconds(since: $0.began)) },
            problems: (loginProblem.map { [$0] } ?? []) + problems.map(\.message))
    }

    private func seconds(since instant: Instant) -> Double { Double((now - instant).nanoseconds) / 1e9 }
}

extension Instant {
    init(_ loop: Loop) { self.init(nanoseconds: Int64(loop.now)) }
}
