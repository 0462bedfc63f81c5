import Glibc
import Supervision
import Testing

@Suite struct MachineStartTests {
    @Test func aDemandStartsStepByStep() {
        var driver = MachineDriver()
        #expect(driver.at(0, .startRequested(connector: "c1")) == [.requestSlot])
        #expect(driver.machine.state.phaseName == "queued")
        #expect(driver.at(1, .slotGranted) == [.prepare(connector: "c1")])
        #expect(driver.machine.state.phaseName == "code")
        #expect(driver.at(2, .prepared(connector: "c1")) == [.spawn(connector: "c1", generation: 1)])
        #expect(driver.at(3, .spawned(pid: 7)) == [])
        #expect(driver.machine.state.phaseName == "spawned")
        #expect(driver.machine.deadline == t(12))
        #expect(driver.at(4, .hello) == [])
        #expect(driver.machine.state.phaseName == "hello")
        #expect(driver.at(5, .preloaded) == [])
        #expect(driver.machine.state.phaseName == "preloaded")
        #expect(driver.at(6, .ready) == [.releaseSlot, .settleStart(connector: "c1", .ready)])
        #expect(driver.machine.state.name == "running")
        #expect(driver.machine.state.phaseName == nil)
        #expect(driver.machine.deadline == nil)
        #expect(driver.machine.pid == 7)
        #expect(driver.machine.connectorID == "c1")
    }

    @Test func aStartByCommandAsksTheCoreForAConnector() {
        var driver = MachineDriver()
        #expect(driver.at(0, .start(by: .platform)) == [.askCoreToLaunch])
        #expect(driver.machine.state.phaseName == "queued")
        #expect(driver.at(1, .startRequested(connector: "c1")) == [.requestSlot])
    }

    @Test func aLaunchThatTheCoreNeverAnswersIsTriedAgain() {
        var driver = MachineDriver()
        driver.at(0, .start(by: .platform))
        #expect(driver.machine.deadline == t(30))
        let actions = driver.at(30, .tick)
        #expect(recorded(actions)?.cause == .launchTimeout)
        #expect(driver.machine.deadline == t(30.1))
        #expect(driver.at(30.1, .tick) == [.askCoreToLaunch])
    }

    @Test func theStartTimeoutCountsFromTheSpawnAndEndsInSIGKILL() {
        var driver = MachineDriver()
        for event in MachineDriver.boot("c1").prefix(2) { driver.at(0, event) }
        driver.at(20, .prepared(connector: "c1"))
        driver.at(21, .spawned(pid: 7))
        #expect(driver.at(29.9, .tick) == [])
        #expect(driver.at(30, .tick) == [.releaseSlot, .signal(SIGTERM)])
        #expect(driver.at(32, .tick) == [.signal(SIGKILL)])
        #expect(driver.at(34, .tick) == [.signal(SIGKILL)])
        #expect(driver.at(34.1, .exited(.signalled(SIGKILL))) == [.tellCoreExited(connector: "c1")])
        let actions = driver.at(34.1, .portClosed(connector: "c1", .endOfFile(partialFrame: 0)))
        let verdict = recorded(actions)
        #expect(verdict?.cause == .startTimeout)
        #expect(verdict?.evidence.signals == [SIGTERM, SIGKILL])
        #expect(
            verdict?.text
                == "not ready 10 s after its process was started, while starting (spawned); it took SIGKILL")
        #expect(actions.contains(.settleStart(connector: "c1", .failed(verdict!))))
    }

    @Test(arguments: [
        (CodeFault.missing(path: "/c.mjs"), Verdict.Cause.codeMissing, "no file /c.mjs in the app's code folder"),
        (.empty(path: "/c.mjs"), .codeEmpty, "/c.mjs is empty"),
        (.tooLarge(path: "/c.mjs", size: 9, limit: 8), .codeTooLarge, "/c.mjs has 9 bytes, over the limit of 8"),
        (.notUTF8(path: "/c.mjs"), .codeNotUTF8, "/c.mjs is not UTF-8 text"),
    ])
    func codeThatCannotRunFailsAtOnce(fault: CodeFault, cause: Verdict.Cause, text: String) {
        var driver = MachineDriver(.temporary)
        for event in MachineDriver.boot("c1").prefix(2) { driver.at(0, event) }
        #expect(
            driver.at(0, .prepareFailed(connector: "c1", fault)) == [.releaseSlot, .closePort(connector: "c1")])
        let verdict = recorded(driver.at(0, .portClosed(connector: "c1", .byPlatform)))
        #expect(verdict?.cause == cause)
        #expect(verdict?.text == text)
        #expect(driver.machine.state.name == "failed")
        #expect(driver.at(1, .startRequested(connector: "c2")) == [.refuseStart(connector: "c2", .quarantined)])
        #expect(driver.at(1, .start(by: .core)) == [])
        #expect(driver.at(2, .start(by: user)) == [.askCoreToLaunch])
    }

    @Test func aFailedSpawnIsTriedAgain() {
        var driver = MachineDriver()
        for event in MachineDriver.boot("c1").prefix(3) { driver.at(0, event) }
        #expect(driver.at(0, .spawnFailed(errno: EAGAIN, program: "p")) == [.releaseSlot, .closePort(connector: "c1")])
        let verdict = recorded(driver.at(0, .portClosed(connector: "c1", .byPlatform)))
        #expect(verdict?.cause == .spawnFailed)
        #expect(verdict?.evidence.errno == EAGAIN)
        #expect(driver.machine.deadline == t(0.1))
    }

    @Test func messagesOutOfOrderAreAProtocolViolation() {
        var driver = MachineDriver()
        for event in MachineDriver.boot("c1").prefix(4) { driver.at(0, event) }
        #expect(driver.at(0, .ready) == [.releaseSlot, .signal(SIGKILL)])
        #expect(recorded(driver.die(0, "c1", .signalled(SIGKILL)))?.cause == .protocolViolation)
    }

    @Test func demandsAreAnsweredByState() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        #expect(driver.at(1, .startRequested(connector: "c2")) == [.refuseStart(connector: "c2", .alreadyStarted)])
        driver.at(2, .exited(.exited(3)))
        #expect(driver.at(2, .startRequested(connector: "c3")) == [.refuseStart(connector: "c3", .waiting)])
        driver.at(2, .portClosed(connector: "c1", .endOfFile(partialFrame: 0)))
        #expect(driver.machine.state.name == "waiting")
        #expect(driver.at(2, .startRequested(connector: "c4")) == [.refuseStart(connector: "c4", .waiting)])
        driver.at(2, .stop(by: user))
        #expect(driver.machine.state.name == "down")
        #expect(driver.at(3, .startRequested(connector: "c5")) == [.refuseStart(connector: "c5", .stopped)])
        #expect(driver.at(3, .start(by: .core)) == [])
        #expect(driver.at(4, .start(by: user)) == [.askCoreToLaunch])
    }

    @Test func aDemandDuringTheEndOfATemporaryComponentStartsItAgain() {
        var driver = MachineDriver(.temporary)
        driver.becomeReady(0, "c1")
        driver.at(1, .portClosed(connector: "c1", .bye))
        #expect(driver.at(1, .startRequested(connector: "c2")) == [.refuseStart(connector: "c2", .waiting)])
        #expect(driver.at(1, .exited(.exited(0))).last == .askCoreToLaunch)
    }
}

@Suite struct MachineEndTests {
    @Test func stopTakesItsSteps() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        #expect(driver.at(10, .stop(by: user)) == [.sendStop, .closePort(connector: "c1")])
        #expect(driver.machine.state.name == "closing")
        #expect(driver.at(11, .stop(by: user)) == [])
        #expect(driver.at(12, .portClosed(connector: "c1", .byPlatform)) == [])
        #expect(driver.at(14.999, .tick) == [])
        #expect(driver.at(15, .tick) == [.signal(SIGTERM)])
        #expect(driver.at(16.999, .tick) == [])
        #expect(driver.at(17, .tick) == [.signal(SIGKILL)])
        let verdict = recorded(driver.at(17.1, .exited(.signalled(SIGKILL))))
        #expect(verdict?.cause == .stopped)
        #expect(verdict?.text == "stopped by the user (pid 12); it took SIGKILL")
        #expect(verdict?.evidence.requester == user)
        #expect(driver.machine.state.name == "down")
        #expect(driver.machine.wanted == .downByUser)
    }

    @Test func aStopInEachPhaseEndsDown() {
        let boot = MachineDriver.boot("c1")
        for steps in 1...boot.count {
            var driver = MachineDriver()
            for event in boot.prefix(steps) { driver.at(0, event) }
            let alive = driver.machine.pid != nil
            let actions = driver.at(1, .stop(by: user))
            #expect(actions.contains(.closePort(connector: "c1")))
            #expect(actions.contains(.sendStop) == alive)
            #expect(actions.contains(.releaseSlot) == (steps < boot.count))
            if steps == 3 { #expect(driver.at(1, .spawned(pid: 7)) == [.signal(SIGKILL)]) }
            var last = driver.at(2, .portClosed(connector: "c1", .byPlatform))
            if driver.machine.pid != nil { last = driver.at(2, .exited(.exited(0))) }
            #expect(recorded(last)?.cause == .stopped)
            #expect(driver.machine.state.name == "down")
        }
    }

    @Test func aSpawnUnderWayThatFailsAfterAStopEndsDown() {
        var driver = MachineDriver()
        for event in MachineDriver.boot("c1").prefix(3) { driver.at(0, event) }
        driver.at(1, .stop(by: user))
        driver.at(1, .portClosed(connector: "c1", .byPlatform))
        #expect(driver.machine.state.name == "closing")
        driver.at(2, .spawnFailed(errno: ENOMEM, program: "p"))
        #expect(driver.machine.state.name == "down")
    }

    @Test func theLifeIsOverOnlyWhenExitAndPortAreBoth() {
        for exitFirst in [true, false] {
            var driver = MachineDriver()
            driver.becomeReady(0, "c1")
            let exit = ComponentEvent.exited(.exited(20))
            let close = ComponentEvent.portClosed(connector: "c1", .endOfFile(partialFrame: 9))
            let first = driver.at(20, exitFirst ? exit : close)
            #expect(first == (exitFirst ? [.tellCoreExited(connector: "c1")] : []))
            #expect(driver.machine.state.name == "closing")
            let verdict = recorded(driver.at(20, exitFirst ? close : exit))
            #expect(verdict?.evidence.portEnd == .endOfFile(partialFrame: 9))
            #expect(verdict?.evidence.exit == .exited(20))
        }
    }

    @Test func aPortClosedForAnotherConnectorChangesNothing() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        let before = driver.machine
        #expect(driver.at(1, .portClosed(connector: "c0", .violation("x"))) == [])
        #expect(driver.machine == before)
    }

    @Test func aLifeThatWasHealthyIsFollowedAtOnce() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        #expect(driver.die(10, "c1", .signalled(SIGSEGV)).last == .askCoreToLaunch)
        #expect(driver.machine.generation == 2)
        #expect(driver.machine.restarts == 1)
        driver.becomeReady(10, "c2")
        driver.die(10.5, "c2", .signalled(SIGSEGV))
        #expect(driver.machine.deadline == t(10.6))
        #expect(driver.at(10.59, .tick) == [])
        #expect(driver.at(10.6, .tick) == [.askCoreToLaunch])
    }

    @Test func aCrashLoopIsQuarantinedAfterAboutAHundredSeconds() {
        var driver = MachineDriver()
        var now = 0.0
        driver.at(now, .start(by: .platform))
        for life in 1...11 {
            driver.becomeReady(now, "c\(life)")
            driver.die(now, "c\(life)", .exited(20))
            if let deadline = driver.machine.deadline {
                now = Double(deadline.nanoseconds) / 1e9
                driver.at(now, .tick)
            }
        }
        #expect(driver.machine.state.name == "failed")
        #expect(abs(now - 102.3) < 0.001)
        #expect(driver.machine.restarts == 10)
        #expect(driver.at(now, .startRequested(connector: "d")) == [.refuseStart(connector: "d", .quarantined)])
        #expect(driver.at(now, .restart(by: user)) == [.askCoreToLaunch])
        driver.becomeReady(now, "e")
        driver.die(now, "e", .exited(20))
        #expect(driver.machine.state.name == "waiting")
    }

    @Test func restartClosesAndStartsAtOnce() {
        var driver = MachineDriver(.temporary)
        driver.becomeReady(0, "c1")
        #expect(driver.at(1, .restart(by: user)) == [.sendStop, .closePort(connector: "c1")])
        driver.at(1, .portClosed(connector: "c1", .byPlatform))
        let actions = driver.at(1, .exited(.exited(0)))
        #expect(recorded(actions)?.cause == .restarted)
        #expect(actions.last == .askCoreToLaunch)
        #expect(driver.machine.restarts == 0)
    }

    @Test func aStopDuringARestartWins() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        driver.at(1, .restart(by: user))
        driver.at(1, .stop(by: user))
        #expect(recorded(driver.die(1, "c1", .exited(0), .byPlatform))?.cause == .stopped)
        #expect(driver.machine.state.name == "down")
    }

    @Test func aKillIsADeathAndLeavesWhatIsWanted() {
        var driver = MachineDriver(.transient)
        driver.becomeReady(0, "c1")
        #expect(driver.at(20, .kill(signal: SIGKILL, by: user)) == [.signal(SIGKILL)])
        let actions = driver.die(20, "c1", .signalled(SIGKILL))
        #expect(recorded(actions)?.text == "killed with SIGKILL by the user (pid 12)")
        #expect(driver.machine.wanted == .up)
        #expect(actions.last == .askCoreToLaunch)
    }

    @Test func aKillEndsAStartInTheLine() {
        var driver = MachineDriver()
        driver.at(0, .startRequested(connector: "c1"))
        #expect(driver.at(0, .kill(signal: SIGTERM, by: user)) == [.releaseSlot, .closePort(connector: "c1")])
        #expect(recorded(driver.at(0, .portClosed(connector: "c1", .byPlatform)))?.cause == .killed)
        #expect(driver.machine.state.name == "waiting")
    }

    @Test func aViolationOnThePipeKillsAtOnceAndIsNamed() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        #expect(driver.at(1, .portClosed(connector: "c1", .violation("bad check"))) == [.signal(SIGKILL)])
        #expect(recorded(driver.at(1, .exited(.signalled(SIGKILL))))?.text == "broke the protocol: bad check")
    }

    @Test func aShutdownStopsAndNothingStartsAfterwards() {
        for fast in [false, true] {
            var driver = MachineDriver()
            driver.becomeReady(0, "c1")
            let actions = driver.at(1, .shutdown(fast: fast))
            #expect(actions == (fast ? [.signal(SIGKILL)] : [.sendStop, .closePort(connector: "c1")]))
            #expect(recorded(driver.die(1, "c1", .signalled(SIGKILL)))?.cause == .shutdown)
            #expect(driver.machine.state.name == "down")
            #expect(driver.at(2, .start(by: user)) == [])
            #expect(driver.at(2, .startRequested(connector: "c2")) == [.refuseStart(connector: "c2", .stopped)])
        }
    }

    @Test func aLogoutIsAnEndOfItsOwnThatNothingFollows() {
        for restart in RestartType.allCases {
            var driver = MachineDriver(restart)
            driver.becomeReady(0, "c1")
            #expect(driver.at(1, .logout) == [.sendStop, .closePort(connector: "c1")])
            let verdict = recorded(driver.die(1, "c1", .exited(0)))
            #expect(verdict?.cause == .logout && verdict?.text == "closed because the user logged out")
            #expect(verdict?.isAbnormal == false)
            #expect(driver.machine.state.name == "down")
            #expect(driver.at(2, .start(by: user)) == [])
        }
    }

    @Test func anInstanceForOneConnectionIsForgotten() {
        var driver = MachineDriver(.permanent, instance: 3)
        driver.becomeReady(0, "c1")
        #expect(driver.die(20, "c1", .exited(20)).last == .forget)
    }

    @Test func theCoreClosingAComponentIsAStop() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        #expect(driver.at(1, .portClosed(connector: "c1", .byPlatform)) == [.sendStop])
        #expect(recorded(driver.at(1, .exited(.exited(0))))?.text == "closed by the core")
        #expect(driver.machine.state.name == "down")
        #expect(driver.at(2, .startRequested(connector: "c2")) == [.requestSlot])
    }

    @Test func aComponentThatClosesItselfAsSoonAsItRunsHasStarted() {
        var driver = MachineDriver(.transient)
        for event in MachineDriver.boot("c1").dropLast() { driver.at(0, event) }
        #expect(driver.at(0, .closingReported) == [.releaseSlot])
        #expect(driver.at(0, .ready) == [.settleStart(connector: "c1", .ready)])
        #expect(driver.at(0, .portClosed(connector: "c1", .bye)) == [])
        let actions = driver.at(0, .exited(.exited(0)))
        #expect(actions.count == 1)
        #expect(recorded(actions)?.cause == .closedItself)
        #expect(driver.machine.state.name == "down")
    }

    @Test func aComponentThatSaysByeAndStaysIsEnded() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        driver.at(1, .closingReported)
        #expect(driver.machine.state.name == "closing")
        driver.at(1, .portClosed(connector: "c1", .bye))
        #expect(driver.at(6, .tick) == [.signal(SIGTERM)])
    }
}

/// The verdict among the actions.
func recorded(_ actions: [ComponentAction]) -> Verdict? {
    for case .record(let verdict, _) in actions { return verdict }
    return nil
}
