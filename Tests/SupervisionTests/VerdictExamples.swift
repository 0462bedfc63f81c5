import Glibc
import Supervision

/// Ends of lives that have each cause, for tests that hold the documentation against the rules.
enum VerdictExamples {
    typealias End = (inout MachineDriver) -> [ComponentAction]

    /// One for each certainty that the cause can have, at least.
    static func of(_ cause: Verdict.Cause) -> [End] {
        switch cause {
        case .closedItself:
            [running { $0.at(20, .portClosed(connector: "c1", .bye)) + $0.at(20, .exited(.exited(0))) }]
        case .closeTimeout:
            [
                running {
                    $0.at(20, .closingReported)
                    $0.at(25, .tick)
                    return $0.at(25, .portClosed(connector: "c1", .bye)) + $0.at(25, .exited(.signalled(SIGTERM)))
                }
            ]
        case .closedByCore: [running { $0.at(20, .stop(by: .core)) + $0.die(20, "c1", .exited(0), .byPlatform) }]
        case .stopped: [running { $0.at(20, .stop(by: user)) + $0.die(20, "c1", .exited(0), .byPlatform) }]
        case .restarted: [running { $0.at(20, .restart(by: user)) + $0.die(20, "c1", .exited(0), .byPlatform) }]
        case .shutdown: [running { $0.at(20, .shutdown(fast: false)) + $0.die(20, "c1", .exited(0), .byPlatform) }]
        case .logout: [running { $0.at(20, .logout) + $0.die(20, "c1", .exited(0), .byPlatform) }]
        case .killed:
            [running { $0.at(20, .kill(signal: SIGTERM, by: user)) + $0.die(20, "c1", .signalled(SIGTERM)) }]
        case .uncaughtError: [reported(.uncaughtError, 20), exit(20)]
        case .unhandledRejection: [reported(.unhandledRejection, 21), exit(21)]
        case .syntaxError: [reported(.syntax, 22), exit(22)]
        case .protocolViolation:
            [
                running { $0.at(20, .protocolViolated("kind 99")) + $0.die(20, "c1", .signalled(SIGKILL)) },
                running {
                    $0.at(20, .portClosed(connector: "c1", .violation("bad check")))
                        + $0.at(20, .exited(.signalled(SIGKILL)))
                },
                reported(.protocolViolation, 23), exit(23),
            ]
        case .sandboxSetup: [reported(.sandbox, 24), exit(24)]
        case .sandboxDenial: [reported(.sandboxDenial, 28), exit(28), running { $0.die(20, "c1", .signalled(SIGSYS)) }]
        case .engineMissing: [reported(.engine, 26), exit(26)]
        case .parentGone: [exit(25)]
        case .codeMissing: [code(.missing(path: "/c.mjs"))]
        case .codeEmpty: [code(.empty(path: "/c.mjs"))]
        case .codeTooLarge: [code(.tooLarge(path: "/c.mjs", size: 2, limit: 1))]
        case .codeNotUTF8: [code(.notUTF8(path: "/c.mjs"))]
        case .codeUnreadable: [code(.unreadable(path: "/c.mjs", "busy"))]
        case .launchFailed: [starting(0) { $0.at(1, .launchFailed("no such component")) }]
        case .launchTimeout: [starting(0) { $0.at(30, .tick) }]
        case .prepareTimeout:
            [starting(2) { $0.at(30, .tick) + $0.at(30, .portClosed(connector: "c1", .byPlatform)) }]
        case .startFailed: [reported(.start, 26)]
        case .startTimeout:
            [starting(4) { $0.at(10, .tick) + $0.die(10, "c1", .signalled(SIGTERM), .endOfFile(partialFrame: 0)) }]
        case .spawnFailed:
            [
                starting(3) {
                    $0.at(1, .spawnFailed(errno: EAGAIN, program: "p"))
                        + $0.at(1, .portClosed(connector: "c1", .byPlatform))
                }
            ]
        case .tightLoop: [hung(stack: "spin@a.mjs:1:2"), reported(.tightLoop, 27), exit(27)]
        case .stalledLoop: [hung(stack: nil)]
        case .memoryLimit:
            [
                running {
                    $0.at(20, .overMemory(OverMemory(held: 2, limit: 1))) + $0.die(20, "c1", .signalled(SIGKILL))
                }
            ]
        case .portLost:
            [
                running {
                    $0.at(20, .portClosed(connector: "c1", .endOfFile(partialFrame: 0)))
                    $0.at(22, .tick)
                    return $0.at(22, .exited(.signalled(SIGTERM)))
                }
            ]
        case .outOfMemory:
            [
                killed(.killed(isGroup: true, line: "Memory cgroup out of memory: Killed process 7 (x)")),
                killed(.killedInGroup(1)), reported(.outOfMemory, 29), exit(29),
            ]
        case .crashed: [signalled(SIGSEGV, .fault(address: 16))]
        case .aborted: [signalled(SIGABRT, .itself)]
        case .exited: [exit(3), exit(0)]
        case .signalled:
            [
                signalled(SIGABRT, .process(pid: 4711, uid: 1000, name: "bash")), signalled(SIGHUP, .kernel),
                killed(.silent), running { $0.die(20, "c1", .signalled(SIGKILL)) },
                running { $0.die(20, "c1", .signalled(SIGABRT)) },
            ]
        }
    }

    static func exit(_ code: Int32) -> End { running { $0.die(20, "c1", .exited(code)) } }

    /// From a life that was ready for 20 s.
    static func running(_ end: @escaping End) -> End {
        { driver in
            driver.becomeReady(0, "c1")
            return end(&driver)
        }
    }

    /// From a start by command that has come `steps` events far.
    private static func starting(_ steps: Int, _ end: @escaping End) -> End {
        { driver in
            driver.at(0, .start(by: .platform))
            for event in MachineDriver.boot("c1").prefix(steps) { driver.at(0, event) }
            return end(&driver)
        }
    }

    private static func reported(_ kind: ReportedFailure.Kind, _ code: Int32) -> End {
        running {
            $0.at(20, .failureReported(ReportedFailure(kind: kind, message: "m")))
            return $0.die(20, "c1", .exited(code))
        }
    }

    private static func code(_ fault: CodeFault) -> End {
        starting(2) {
            $0.at(1, .prepareFailed(connector: "c1", fault)) + $0.at(1, .portClosed(connector: "c1", .byPlatform))
        }
    }

    private static func hung(stack: String?) -> End {
        running {
            $0.at(20, .hung(Hang(silentFor: .seconds(30), stack: stack, processState: "R")))
            return $0.die(20, "c1", .signalled(SIGKILL))
        }
    }

    static func signalled(_ signal: Int32, _ origin: FatalSignal.Origin) -> End {
        running {
            $0.at(20, .fatalSignal(FatalSignal(signal: signal, origin: origin)))
            return $0.die(20, "c1", .signalled(signal))
        }
    }

    static func killed(_ word: KernelWord) -> End {
        running {
            $0.at(20, .kernelSaid(word))
            return $0.die(20, "c1", .signalled(SIGKILL))
        }
    }
}
