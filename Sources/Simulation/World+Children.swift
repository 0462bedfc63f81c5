import Glibc
import Supervision

/// The core's answers and the processes.
extension World {
    func coreLaunches(_ index: Int) {
        let plan = components[index].nextCorePlan()
        switch plan.launch {
        case .connector: later(plan.launchTakes, .fromCore(index, .startRequested(connector: newPort(index, plan))))
        case .refusal: later(plan.launchTakes, .fromCore(index, .launchFailed("no such component")))
        case .silence: break
        }
    }

    func newPort(_ index: Int, _ plan: CorePlan) -> String {
        connectorNumbers += 1
        let connector = "c\(connectorNumbers)"
        ports[connector] = CorePort(component: index, plan: plan)
        return connector
    }

    func corePrepares(_ connector: String) {
        guard let port = ports[connector] else { return }
        later(
            port.plan.prepareTakes,
            .fromCore(
                nil,
                port.plan.fault.map { .prepareFailed(connector: connector, $0) } ?? .prepared(connector: connector)))
    }

    /// The core plane answers always.
    func closePort(_ connector: String, _ end: PortEnd) {
        guard let plan = ports[connector]?.plan else { return }
        later(plan.portTakes, .portEnds(connector, end))
    }

    func coreSays(_ what: Occurrence) throws(Violation) {
        switch what {
        case .fromCore(let index?, let event):
            let component = components[index]
            if case .startRequested = event, component.driver == nil, component.spec.isForOneConnection,
                case .loggedIn = login.state
            {
                make(index)
            }
            try news(event, index)
        case .fromCore(nil, .prepared(let connector)):
            if let index = connectors[connector] { try news(.prepared(connector: connector), index) }
        case .fromCore(nil, .prepareFailed(let connector, let fault)):
            if let index = connectors[connector] {
                try news(.prepareFailed(connector: connector, fault), index)
            }
        case .portEnds(let connector, let end):
            guard let index = connectors.removeValue(forKey: connector) else { return }
            try news(.portClosed(connector: connector, end), index)
        default: break
        }
    }

    private func news(_ event: ComponentEvent, _ index: Int) throws(Violation) {
        if case .startRequested = event {} else { components[index].driver?.remember(event) }
        try deliver(event, to: index)
    }

    // MARK: Processes

    func spawn(_ driver: Driver, _ connector: String) throws(Violation) {
        let component = components[driver.component]
        if let errno = component.nextSpawnFailure() {
            return try deliver(.spawnFailed(errno: errno, program: "corehost-component"), to: driver.component)
        }
        pids = pids == 32_767 ? 101 : pids + 1
        let child = SimulatedChild(pid: pids, connector: connector, plan: component.nextLife())
        driver.child = child
        driver.memory = MemoryWatch(driver.machine.spec.policy.memory)
        driver.memoryAudit = MemoryAudit(driver.machine.spec.policy.memory)
        if let partial = ports[connector]?.plan.partialFrame, partial > 0 {
            child.portEnd = .endOfFile(partialFrame: partial)
        }
        if ports[connector]?.plan.violation == true { child.portEnd = .violation("a frame of no kind") }
        if child.plan.spawnTakes == .zero {
            try childSteps(driver.component, child.pid, .spawned)
        } else {
            childLater(driver, child, child.plan.spawnTakes, .spawned)
        }
    }

    func childLater(_ driver: Driver, _ child: SimulatedChild, _ after: Duration, _ step: ChildStep) {
        later(after, .child(driver.component, pid: child.pid, step))
    }

    func childSteps(_ index: Int, _ pid: Int32, _ step: ChildStep) throws(Violation) {
        guard let driver = components[index].driver, let child = driver.child, child.pid == pid else { return }
        switch step {
        case .spawned:
            bootsOn(driver, child)
            try deliver(.spawned(pid: pid), to: index)
        case .exitSeen(let status):
            driver.child = nil
            if status == .signalled(SIGKILL), let word = child.kernelWord {
                try deliver(.kernelSaid(word), to: index)
            }
            driver.lastPortEnd = child.portEnd ?? .endOfFile(partialFrame: 0)
            try deliver(.exited(status), to: index)
        case .dies(let status): dies(driver, child, status)
        case .answers(let number): try answered(driver, number)
        case .hello, .preloaded, .ready, .act:
            guard !child.isDead, !child.isStopped else { return }
            if case .act(let act) = step { return try does(act, driver, child) }
            guard !child.hangs else { return }
            try boots(step, driver, child)
        }
    }

    private func boots(_ step: ChildStep, _ driver: Driver, _ child: SimulatedChild) throws(Violation) {
        let event: ComponentEvent
        switch step {
        case .hello: (child.stage, event) = (.hello, .hello)
        case .preloaded: (child.stage, event) = (.preloaded, .preloaded)
        default: (child.stage, event) = (nil, .ready)
        }
        bootsOn(driver, child)
        try deliver(event, to: driver.component)
        if case .preloaded = step, let extends = child.plan.extends {
            try deliver(.startExtended(extends), to: driver.component)
        }
    }

    /// The next step of its start, or what it does at the end of them.
    private func bootsOn(_ driver: Driver, _ child: SimulatedChild) {
        let (after, step): (Duration?, ChildStep) =
            switch child.stage {
            case .spawned: (child.plan.hello, .hello)
            case .hello: (child.plan.preloaded, .preloaded)
            case .preloaded: (child.plan.ready, .ready)
            case nil: (nil, .ready)
            }
        if let after {
            childLater(driver, child, after, step)
        } else if let act = child.plan.act {
            childLater(driver, child, child.plan.actsAfter, .act(act))
        }
    }

    private func dies(_ driver: Driver, _ child: SimulatedChild, _ status: ExitStatus) {
        guard !child.isDead else { return }
        child.isDead = true
        note { "\(driver.machine.spec.id): process \(child.pid) dies: \(status)" }
        childLater(driver, child, child.plan.exitSeen, .exitSeen(status))
        later(child.plan.pipeEndSeen, .portEnds(child.connector, child.portEnd ?? .endOfFile(partialFrame: 0)))
    }

    /// The order to stop.
    func order(_ driver: Driver) {
        guard let child = driver.child, !child.hangs, !child.isStopped, let after = child.plan.onStop else { return }
        childLater(driver, child, after, .dies(.exited(0)))
    }

    func signal(_ driver: Driver, _ number: Int32) {
        guard let child = driver.child, !child.isDead else { return }
        switch number {
        case SIGKILL: childLater(driver, child, child.plan.onKill, .dies(.signalled(SIGKILL)))
        case SIGSTOP: child.isStopped = true
        case SIGCONT: wakes(driver, child)
        default:
            guard !child.isStopped, let after = child.plan.onTerminate else { return }
            childLater(driver, child, after, .dies(.signalled(number)))
        }
    }

    private func wakes(_ driver: Driver, _ child: SimulatedChild) {
        guard child.hangs || child.isStopped else { return }
        (child.hangs, child.isStopped) = (false, false)
        bootsOn(driver, child)
    }

    func does(_ act: ChildAct, _ driver: Driver, _ child: SimulatedChild) throws(Violation) {
        let index = driver.component
        note { "\(driver.machine.spec.id): its process \(child.pid) does \(act)" }
        func end(_ after: Duration?, _ code: Int32) {
            if let after { childLater(driver, child, after, .dies(.exited(code))) }
        }
        func closePipe(_ portEnd: PortEnd) {
            child.portEnd = portEnd
            later(child.plan.pipeEndSeen, .portEnds(child.connector, portEnd))
        }
        switch act {
        case .exit(let code): dies(driver, child, .exited(code))
        case .dies(let number, let origin):
            dies(driver, child, .signalled(number))
            if let origin { try deliver(.fatalSignal(FatalSignal(signal: number, origin: origin)), to: index) }
        case .killedByKernel(let word):
            child.kernelWord = word
            dies(driver, child, .signalled(SIGKILL))
        case .report(let kind, let exit):
            end(exit, 20)
            try deliver(.failureReported(ReportedFailure(kind: kind, message: "so it was")), to: index)
        case .bye(let onControl, let onPort, let exit):
            end(exit, 0)
            if onPort { closePipe(.bye) }
            if onControl { try deliver(.closingReported, to: index) }
        case .closesPipe(let exit):
            end(exit, 0)
            closePipe(.endOfFile(partialFrame: 0))
        case .violatesPort: closePipe(.violation("a frame of no kind"))
        case .violatesControl: try deliver(.protocolViolated("a report of no kind"), to: index)
        case .outOfOrder(.hello), .outOfOrder(.spawned): try deliver(.hello, to: index)
        case .outOfOrder(.preloaded): try deliver(.preloaded, to: index)
        case .outOfOrder(nil): try deliver(.ready, to: index)
        case .hangs: child.hangs = true
        case .wakes: wakes(driver, child)
        case .answers(let back): try answered(driver, child.heartbeat &- UInt32(back))
        case .holds(let bytes): try sees(driver, holding: bytes)
        case .extendsStart(let by): try deliver(.startExtended(by), to: index)
        }
    }
}
