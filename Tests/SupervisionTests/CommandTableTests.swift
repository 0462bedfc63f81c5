import Glibc
import Supervision
import Testing

/// The table of commands in docs/architecture.md: each command in each state.
@Suite struct CommandTableTests {
    enum Command: CaseIterable { case start, stop, restart, kill, shutdown, logout, demand }

    enum Place: CaseIterable {
        case down, launching, queued, code, spawning, booting, running, closing, waiting, failed
    }

    private func driver(in place: Place) -> MachineDriver {
        var driver = MachineDriver(.permanent) { $0.maxRestarts = 1 }
        let steps: [Place: Int] = [.queued: 1, .code: 2, .spawning: 3, .booting: 4, .running: 7]
        switch place {
        case .down: break
        case .launching: driver.at(0, .start(by: .platform))
        case .queued, .code, .spawning, .booting, .running:
            for event in MachineDriver.boot("c1").prefix(steps[place] ?? 0) { driver.at(0, event) }
        case .closing:
            driver.becomeReady(0, "c1")
            driver.at(0, .portClosed(connector: "c1", .bye))
        case .waiting, .failed:
            driver.becomeReady(0, "c1")
            driver.die(0, "c1", .exited(3))
            guard place == .failed else { break }
            driver.at(0.1, .tick)
            driver.becomeReady(0.1, "c2")
            driver.die(0.1, "c2", .exited(3))
        }
        return driver
    }

    private func event(_ command: Command) -> ComponentEvent {
        switch command {
        case .start: .start(by: user)
        case .stop: .stop(by: user)
        case .restart: .restart(by: user)
        case .kill: .kill(signal: SIGTERM, by: user)
        case .shutdown: .shutdown(fast: false)
        case .logout: .logout
        case .demand: .startRequested(connector: "d")
        }
    }

    private static let close: [ComponentAction] = [.sendStop, .closePort(connector: "c1")]
    private static let giveUp: [ComponentAction] = [.releaseSlot, .closePort(connector: "c1")]

    private func expected(_ command: Command, in place: Place) -> [ComponentAction] {
        let isAtRest = [.down, .waiting, .failed].contains(place)
        let close: [ComponentAction] =
            switch place {
            case .down, .launching, .closing, .waiting, .failed: []
            case .queued, .code, .spawning: Self.giveUp
            case .booting: [.releaseSlot] + Self.close
            case .running: Self.close
            }
        switch command {
        case .start: return isAtRest ? [.askCoreToLaunch] : []
        case .restart: return isAtRest ? [.askCoreToLaunch] : close
        case .stop, .shutdown, .logout: return close
        case .kill:
            return [.booting, .running, .closing].contains(place) ? [.signal(SIGTERM)] : close
        case .demand:
            switch place {
            case .down, .launching: return [.requestSlot]
            case .queued, .code, .spawning, .booting, .running:
                return [.refuseStart(connector: "d", .alreadyStarted)]
            case .closing, .waiting: return [.refuseStart(connector: "d", .waiting)]
            case .failed: return [.refuseStart(connector: "d", .quarantined)]
            }
        }
    }

    @Test(arguments: Command.allCases, Place.allCases)
    func everyCommandInEveryState(command: Command, place: Place) {
        var driver = driver(in: place)
        let actions = driver.at(1, event(command)).filter { if case .record = $0 { false } else { true } }
        #expect(actions == expected(command, in: place))
        switch command {
        case .start, .restart: #expect(driver.machine.wanted == .up)
        case .stop: #expect(driver.machine.wanted == .downByUser)
        case .shutdown, .logout: #expect(driver.machine.wanted == .down)
        case .kill: #expect(driver.machine.wanted == (place == .down ? .down : .up))
        case .demand: #expect(driver.machine.wanted == .up)
        }
        if [.stop, .shutdown, .logout].contains(command), [.down, .launching, .waiting, .failed].contains(place) {
            #expect(driver.machine.state.name == "down")
        }
    }
}
