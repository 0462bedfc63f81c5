import Glibc
import Supervision
import Testing

/// One row per end of a life, one column per restart type.
@Suite struct RestartTableTests {
    enum End: CaseIterable {
        case bye, exitCode, crash, uncaughtError, unhandledRejection, killedByUser, killedFromOutside, violation,
            hung, stop, stopByCore, restart, syntax
    }

    enum Follows { case start, down, failed }

    private func end(_ end: End, _ driver: inout MachineDriver) -> [ComponentAction] {
        func fail(_ kind: ReportedFailure.Kind, _ code: Int32, _ driver: inout MachineDriver) -> [ComponentAction] {
            driver.at(20, .failureReported(ReportedFailure(kind: kind, message: "m", file: "/c.mjs", line: 3)))
            return driver.die(20, "c1", .exited(code))
        }
        switch end {
        case .bye: return driver.at(20, .portClosed(connector: "c1", .bye)) + driver.at(20, .exited(.exited(0)))
        case .exitCode: return driver.die(20, "c1", .exited(3))
        case .crash: return driver.die(20, "c1", .signalled(SIGSEGV))
        case .uncaughtError: return fail(.uncaughtError, 20, &driver)
        case .unhandledRejection: return fail(.unhandledRejection, 21, &driver)
        case .syntax: return fail(.syntax, 22, &driver)
        case .killedByUser:
            driver.at(20, .kill(signal: SIGTERM, by: user))
            return driver.die(20, "c1", .signalled(SIGTERM))
        case .killedFromOutside: return driver.die(20, "c1", .signalled(SIGKILL))
        case .violation:
            driver.at(20, .protocolViolated("kind 99"))
            return driver.die(20, "c1", .signalled(SIGKILL))
        case .hung:
            driver.at(20, .hung(Hang(silentFor: .seconds(5), stack: "spin@a.mjs:1:2", processState: "R")))
            return driver.die(20, "c1", .signalled(SIGKILL))
        case .stop:
            driver.at(20, .stop(by: user))
            return driver.die(20, "c1", .exited(0), .byPlatform)
        case .stopByCore:
            driver.at(20, .stop(by: .core))
            return driver.die(20, "c1", .exited(0), .byPlatform)
        case .restart:
            driver.at(20, .restart(by: user))
            return driver.die(20, "c1", .exited(0), .byPlatform)
        }
    }

    private func expected(_ end: End, _ restart: RestartType) -> (Verdict.Cause, Follows) {
        let afterDeath: Follows = restart == .temporary ? .down : .start
        return switch end {
        case .bye: (.closedItself, restart == .permanent ? .start : .down)
        case .exitCode: (.exited, afterDeath)
        case .crash, .killedFromOutside: (.signalled, afterDeath)
        case .uncaughtError: (.uncaughtError, afterDeath)
        case .unhandledRejection: (.unhandledRejection, afterDeath)
        case .syntax: (.syntaxError, .failed)
        case .killedByUser: (.killed, afterDeath)
        case .violation: (.protocolViolation, afterDeath)
        case .hung: (.tightLoop, afterDeath)
        case .stop: (.stopped, .down)
        case .stopByCore: (.closedByCore, .down)
        case .restart: (.restarted, .start)
        }
    }

    @Test(arguments: RestartType.allCases, End.allCases)
    func whatFollowsAnEnd(restart: RestartType, end: End) {
        var driver = MachineDriver(restart)
        driver.becomeReady(0, "c1")
        let actions = self.end(end, &driver)
        let (cause, follows) = expected(end, restart)
        #expect(recorded(actions)?.cause == cause)
        switch follows {
        case .start: #expect(actions.last == .askCoreToLaunch)
        case .down: #expect(driver.machine.state.name == "down")
        case .failed: #expect(driver.machine.state.name == "failed")
        }
    }

    @Test func aReportGivesFileAndLine() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        #expect(recorded(end(.uncaughtError, &driver))?.text == "uncaught error: m (/c.mjs:3)")
    }
}
