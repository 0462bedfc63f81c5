internal import Control
internal import CoreHosting
internal import EventLoop
internal import Logging
internal import Supervision
internal import Wire

/// Signs of life. A component is asked for one some time after the core has sent it something, and all that are quiet
/// once a minute; the core is asked all the time. The answers come from a turn of JavaScript.
extension Supervisor {
    private static let roundInterval = Duration.seconds(60)

    /// Once the platform runs.
    func watchHealth() {
        coreHeartbeat.expectTurn(at: now)
        armCoreTimer()
        roundTimer.start(after: Self.roundInterval) { [unowned self] in askAll() }
    }

    func endHealthWatch() {
        coreHeartbeatTimer.close()
        coreCallTimer.close()
        roundTimer.close()
        for driver in drivers.values {
            driver.heartbeatTimer.stop()
            driver.idleTimer.stop()
        }
    }

    private func askAll() {
        for driver in drivers.values where driver.isRunning {
            act(driver.heartbeat.ask(at: now), driver)
            lookAtMemory(driver)
        }
        // Where the kernel does not tell of changes in the socket's folder, this finds them.
        server?.renewIfGone()
        roundTimer.start(after: Self.roundInterval) { [unowned self] in askAll() }
    }

    // MARK: Components

    /// Has it give a turn now, for whoever wants to know how long that takes.
    func askForTurn(_ driver: ComponentDriver) {
        guard driver.isRunning, phase == .running else { return }
        act(driver.heartbeat.ask(at: now), driver)
    }

    func trafficChanged(_ traffic: PortTraffic, _ driver: ComponentDriver) {
        let mustReact = traffic.framesOut > driver.traffic.framesOut
        driver.traffic = traffic
        driver.ports.update(traffic)
        lookAtMemory(driver)
        awaitIdleness(driver)
        guard mustReact, driver.isRunning, phase == .running else { return }
        driver.heartbeat.expectTurn(at: now)
        armHeartbeat(driver)
    }

    /// With every change of state: each life has a heart of its own, which is only asked while it runs.
    func resetHeartbeat(_ driver: ComponentDriver) {
        driver.heartbeatTimer.stop()
        driver.heartbeat = Heartbeat(driver.machine.spec.policy.heartbeat)
        driver.busyStack = nil
        driver.lag = nil
    }

    func gaveTurn(_ number: UInt32, _ driver: ComponentDriver) {
        driver.busyStack = nil
        let askedAt = driver.heartbeat.askedAt
        act(driver.heartbeat.answered(number, at: now), driver)
        guard let askedAt, driver.heartbeat.askedAt == nil else { return }
        driver.lag = now - askedAt
        // The engine's figures come in front of the turn that they were asked with.
        let figures = driver.memory.figures.flatMap { $0.at >= askedAt ? $0.0 : nil }
        if driver.samples.count == LifeSample.most { driver.samples.removeFirst() }
        driver.samples.append(
            LifeSample(
                time: now, lag: now - askedAt, memory: driver.child.flatMap { ProcessFigures.residentMemory($0.pid) },
                heap: figures.map { Int(clamping: $0.heap) }))
        driver.gaveTurn()
    }

    /// The component tells of itself that it holds its turn.
    func isBusy(_ milliseconds: UInt32, _ stack: String, _ driver: ComponentDriver) {
        driver.busyStack = stack
        let time = Duration.milliseconds(Int64(milliseconds)).text
        say(.warning, "component computes without giving a turn", about: driver, ["for": time])
        note(.componentBusy, about: driver, ["for": time, "at": stack.split(separator: "\n").first.map(String.init)])
        // The answer tells that the call has ended.
        driver.heartbeat.expectTurn(at: now)
        armHeartbeat(driver)
        record(.warning, "one call has run for \(time) and is at\n\(stack)", stream: .console, driver)
    }

    private func act(_ action: Heartbeat.Action?, _ driver: ComponentDriver) {
        switch action {
        case .ask(let number):
            // With the same wake-up, so that `ps` has the heap of whoever is alive.
            if driver.memory.answers.isEmpty { measure(driver, collecting: false) { _ in } }
            driver.child?.send(.heartbeat(number))
        case .overdue(let silence):
            say(.warning, "component gives no turn", about: driver, ["for": silence.text])
            note(.componentSilent, about: driver, ["for": silence.text])
        case .recovered(let silence):
            say(.notice, "component gives turns again", about: driver, ["after": silence.text])
            note(.componentRecovered, about: driver, ["after": silence.text])
        case .hung(let silence):
            note(.componentHung, about: driver, ["for": silence.text])
            let hang = Hang(
                silentFor: silence, stack: driver.busyStack,
                processState: driver.child.flatMap { ProcessFigures.state(of: $0.pid) })
            deliver(.hung(hang), to: driver.id)
        case nil: break
        }
        armHeartbeat(driver)
    }

    func armHeartbeat(_ driver: ComponentDriver) {
        guard phase == .running, let deadline = driver.heartbeat.deadline else {
            driver.heartbeatTimer.stop()
            return
        }
        driver.heartbeatTimer.startBehindArrivals(after: deadline - now) { [unowned self, unowned driver] in
            act(driver.heartbeat.tick(at: now), driver)
        }
    }

    // MARK: The core

    func coreGaveTurn(_ number: UInt32) {
        if number == Self.watchdogQuestion { manager?.gaveTurn() }
        let action = coreHeartbeat.answered(number, at: now)
        coreHeartbeat.expectTurn(at: now)
        act(action)
    }

    private func act(_ action: Heartbeat.Action?) {
        switch action {
        case .ask(let number): core?.send(.heartbeat(number, soft: coreHeartbeat.policy.soft))
        case .overdue(let silence):
            say(.warning, "the core gives no turn", ["for": silence.text])
            journal.record(.coreSilent, ["for": silence.text])
            core?.wantStack()
        case .recovered(let silence):
            say(.notice, "the core gives turns again", ["after": silence.text])
            journal.record(.coreRecovered, ["after": silence.text])
        case .hung(let silence):
            giveUp("the core has given no turn for \(silence.text); ending without it, what it kept is on the disk")
            return
        case nil: break
        }
        armCoreTimer()
    }

    func armCoreTimer() {
        guard phase == .running, let deadline = coreHeartbeat.deadline else {
            coreHeartbeatTimer.stop()
            return
        }
        coreHeartbeatTimer.startBehindArrivals(after: deadline - now) { [unowned self] in
            act(coreHeartbeat.tick(at: now))
        }
    }
}

extension ComponentDriver {
    var isRunning: Bool { if case .running = machine.state { true } else { false } }
}

extension Duration {
    /// Rounded down, and bounded by what fits.
    var wholeMilliseconds: UInt32 { UInt32(clamping: nanoseconds / 1_000_000) }
}
