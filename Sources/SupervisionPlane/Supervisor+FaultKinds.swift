internal import CSystem
internal import Control
internal import CoreHosting
internal import EventLoop
internal import Faults
internal import Glibc
internal import Networking
internal import PortBridge
internal import Supervision
internal import Wire

/// How each kind of fault is done and undone.
extension Supervisor {
    /// `done` is called once, at once or later, with why it could not be done, in words.
    func carryOut(_ entry: FaultEntry, _ driver: ComponentDriver?, done: @escaping (String?) -> Void) {
        guard let driver else { return carryOut(entry, done: done) }
        guard case .port(let trouble, let direction) = entry.order.fault else {
            return done(carryOut(entry, driver))
        }
        guard let connector = driver.machine.connectorID else { return done("it has no connector") }
        let fault = PortFault(
            number: entry.id, PortFault.Kind(trouble), direction == .toCore ? .incoming : .outgoing,
            seed: entry.order.seed)
        inject(entry, .port(connector: connector, fault), done)
    }

    /// What is about the platform.
    private func carryOut(_ entry: FaultEntry, done: @escaping (String?) -> Void) {
        switch entry.order.fault {
        case .diskFull(let place): chs_break_disk(place.number, ENOSPC, 0)
        case .diskSlow(let place, let delay): chs_break_disk(place.number, 0, delay.wholeMilliseconds)
        case .clockStep(let step):
            chs_step_wall_clock(step.nanoseconds)
            faults?.clockStep = (entry.id, step)
            for driver in drivers.values where driver.hasPreloaded { stepClock(of: driver) }
        case .coreBusy(let time): return inject(entry, .busy(time), done)
        case .coreException(let call, let times): return inject(entry, .exception(call: call, times: times), done)
        case .networkGone: return inject(entry, .network(.gone), done)
        case .httpError(let status): return inject(entry, .network(.status(status)), done)
        case .httpDelay(let delay): return inject(entry, .network(.delay(delay)), done)
        case .signal, .pause, .exit, .uncaughtError, .unhandledRejection, .tightLoop, .stalledLoop, .microtaskLoop,
            .memoryGrowth, .descriptorExhaustion, .slowStart, .startCrash, .spawnRefused, .port:
            return done("its component is gone")
        }
        done(nil)
    }

    private func inject(_ entry: FaultEntry, _ fault: CoreFault, _ done: @escaping (String?) -> Void) {
        ask({ .injectFault(entry.id, fault, number: $0) }) { outcome in
            switch outcome {
            case .returned: done(nil)
            case .rejected(let reason), .refused(let reason): done(reason)
            }
        }
    }

    private func carryOut(_ entry: FaultEntry, _ driver: ComponentDriver) -> String? {
        guard let child = driver.child else { return "it has no process" }
        let number = UInt32(truncatingIfNeeded: entry.id)
        switch entry.order.fault {
        case .signal(let signal): deliver(.kill(signal: signal, by: .fault(InjectedFault(entry))), to: driver.id)
        case .pause: child.signal(SIGSTOP)
        case .exit(let code): child.send(.fault(ComponentFault(number: number, .exit, amount: UInt64(code))))
        case .uncaughtError(let text):
            child.send(.fault(ComponentFault(number: number, .uncaughtError, text: text)))
        case .unhandledRejection(let text):
            child.send(.fault(ComponentFault(number: number, .unhandledRejection, text: text)))
        case .tightLoop(let time): child.send(.fault(ComponentFault(number: number, .tightLoop, for: time)))
        case .stalledLoop(let time): child.send(.fault(ComponentFault(number: number, .stalledLoop, for: time)))
        case .microtaskLoop(let time): child.send(.fault(ComponentFault(number: number, .microtaskLoop, for: time)))
        case .memoryGrowth(let size, let rate):
            child.send(
                .fault(ComponentFault(number: number, .memoryGrowth, amount: UInt64(size), rate: UInt64(rate))))
        case .descriptorExhaustion(let left):
            child.send(.fault(ComponentFault(number: number, .descriptorExhaustion, amount: UInt64(left))))
        case .slowStart, .startCrash, .spawnRefused: return "it strikes at a start only"
        case .port, .coreBusy, .coreException, .diskFull, .diskSlow, .clockStep, .networkGone, .httpError, .httpDelay:
            return "it is nothing that a process does"
        }
        // A loop is to be noticed as one that comes by itself.
        askForTurn(driver)
        return nil
    }

    func takeBack(_ entry: FaultEntry, _ driver: ComponentDriver?) {
        let child = driver?.child
        let number = UInt32(truncatingIfNeeded: entry.id)
        switch entry.order.fault {
        case .pause: child?.signal(SIGCONT)
        case .tightLoop, .stalledLoop, .microtaskLoop:
            child?.send(.undoFault(number))
            child?.signal(SIGUSR2)
        case .memoryGrowth, .descriptorExhaustion: child?.send(.undoFault(number))
        case .port:
            if let connector = driver?.machine.connectorID {
                core?.send(.undoFault(entry.id, connector: connector))
            }
        case .coreBusy: core?.stopFault(entry.id)
        case .coreException, .networkGone, .httpError, .httpDelay: core?.send(.undoFault(entry.id, connector: nil))
        case .diskFull(let place), .diskSlow(let place, _): chs_break_disk(place.number, 0, 0)
        case .clockStep:
            chs_step_wall_clock(0)
            faults?.clockStep = nil
            for driver in drivers.values where driver.hasPreloaded { driver.child?.send(.undoFault(number)) }
        case .signal, .exit, .uncaughtError, .unhandledRejection, .slowStart, .startCrash, .spawnRefused: break
        }
    }

    // MARK: Starts

    /// The errno with which its next spawn is refused.
    func refusedSpawn(_ driver: ComponentDriver) -> Int32? {
        guard case .spawnRefused(let errno)? = tripFault(.spawnRefused, driver) else { return nil }
        return errno
    }

    /// Its start has come to this phase.
    func startCame(to step: BootStep, _ driver: ComponentDriver) {
        guard let desk = faults else { return }
        driver.hasPreloaded = step == .preloaded
        if driver.hasPreloaded { stepClock(of: driver) }
        let target = FaultTarget.component(driver.id, generation: driver.machine.generation)
        guard let entry = desk.book.armed(.startCrash, target, at: now),
            case .startCrash(let phase) = entry.order.fault, phase == step.rawValue,
            tripFault(.startCrash, driver) != nil
        else { return }
        driver.isCrashed = true
        deliver(.kill(signal: SIGKILL, by: .fault(InjectedFault(entry))), to: driver.id)
    }

    /// If a step is in force.
    private func stepClock(of driver: ComponentDriver) {
        guard let (id, step) = faults?.clockStep else { return }
        let amount = UInt64(bitPattern: step.nanoseconds)
        driver.child?.send(
            .fault(ComponentFault(number: UInt32(truncatingIfNeeded: id), .clockStep, amount: amount)))
    }

    /// Tells a new process what to do, later if a slow start was injected.
    func sendBoot(_ order: ComponentOrder, to child: ChildProcess, _ driver: ComponentDriver) {
        guard let desk = faults, case .slowStart(let delay)? = tripFault(.slowStart, driver) else {
            return child.send(order)
        }
        let timer = Timer(on: loop)
        desk.heldUp[driver.id]?.close()
        desk.heldUp[driver.id] = timer
        timer.start(after: delay) { [unowned self, unowned driver] in
            faults?.heldUp.removeValue(forKey: driver.id)?.close()
            if driver.child === child { child.send(order) }
        }
    }
}

extension DiskPlace {
    fileprivate var number: Int32 {
        switch self {
        case .logs: Int32(CHS_DISK_LOGS.rawValue)
        case .data: Int32(CHS_DISK_DATA.rawValue)
        }
    }
}

extension PortFault.Kind {
    fileprivate init(_ trouble: PortTrouble) {
        self =
            switch trouble {
            case .delay(let delay, let jitter): .delay(delay, jitter: jitter)
            case .bandwidth(let rate): .bandwidth(rate)
            case .cut(let place): .cut(at: place)
            case .corrupt: .corrupt
            case .repetition: .repetition
            case .swap: .swap
            case .close: .close
            case .deafness: .deafness
            }
    }
}

extension ComponentFault {
    fileprivate init(number: UInt32, _ kind: Kind, for time: Duration) {
        self.init(number: number, kind, amount: UInt64(clamping: time.nanoseconds / 1_000_000))
    }
}
