import Glibc
import Supervision
import Testing

/// Every state and phase has its sentence, its rule, and the commands that change it.
@Suite struct WhyTests {
    struct Case: CustomStringConvertible, Sendable {
        let name: String
        let reason: String
        let rule: String
        let next: String?
        /// Seconds from now.
        var nextIn: Double?
        let commands: [String]
        let lead: @Sendable (inout MachineDriver) -> Void
        var restart = RestartType.permanent
        var description: String { name }
    }

    private static func boot(_ steps: Int) -> @Sendable (inout MachineDriver) -> Void {
        { driver in for event in MachineDriver.boot("c1").prefix(steps) { driver.at(0, event) } }
    }

    private static func running(
        _ more: @escaping @Sendable (inout MachineDriver) -> Void
    )
        -> @Sendable (inout MachineDriver) -> Void
    {
        { driver in
            driver.becomeReady(0, "c1")
            more(&driver)
        }
    }

    private static let coreLimit = "the core has 30 s for that; then the start counts as a death"
    private static let startLimit = "startTimeout: it must be ready 10 s after its process was made"
    private static let givesUp = "if it does not come further, the start is given up"
    private static let byRule = "then its restart type says what follows"
    private static let grace = "stopGrace: it has 5 s to end by itself (2 s after a failure)"

    static let cases: [Case] = [
        Case(
            name: "down, never needed", reason: "it is down because nobody has needed it yet",
            rule: "a component that does not start with the system starts when an app calls its service",
            next: "the next call of its service starts it", commands: ["start"], lead: { _ in }),
        Case(
            name: "down by the user", reason: "it is down because the user stopped it",
            rule: "what the user stopped only the user starts: demands of apps are refused", next: nil,
            commands: ["start"],
            lead: running {
                $0.at(1, .stop(by: user))
                $0.die(1, "c1", .exited(0), .byPlatform)
            }),
        Case(
            name: "down by its type",
            reason: "it is down because its last life ended (closed-itself) and nothing asks for another",
            rule: "transient: restarted after an abnormal end only", next: "the next call of its service starts it",
            commands: ["start"],
            lead: running {
                $0.at(1, .portClosed(connector: "c1", .bye))
                $0.at(1, .exited(.exited(0)))
            }, restart: .transient),
        Case(
            name: "down in a shutdown", reason: "it is down because the platform shuts down, or its user logs out",
            rule: "nothing is started during a shutdown", next: nil, commands: [],
            lead: { $0.at(0, .shutdown(fast: false)) }),
        Case(
            name: "launching", reason: "it is starting: the core was asked to launch it and has not answered yet",
            rule: coreLimit, next: givesUp, nextIn: 25, commands: ["stop", "restart", "kill"],
            lead: { $0.at(0, .start(by: user)) }),
        Case(
            name: "queued", reason: "it is starting: it waits in line for a start slot",
            rule: "only so many components start at once (2 for each processor); each of those has limits of its own",
            next: nil, commands: ["stop", "restart", "kill"], lead: boot(1)),
        Case(
            name: "code", reason: "it is starting: the core reads its code and makes its port", rule: coreLimit,
            next: givesUp, nextIn: 25, commands: ["stop", "restart", "kill"], lead: boot(2)),
        Case(
            name: "spawning", reason: "it is starting: its process is being made", rule: startLimit, next: givesUp,
            nextIn: 5, commands: ["stop", "restart", "kill"], lead: boot(3)),
        Case(
            name: "spawned", reason: "it is starting: its process 7 runs and has not said hello yet", rule: startLimit,
            next: givesUp, nextIn: 5, commands: ["stop", "restart", "kill"], lead: boot(4)),
        Case(
            name: "hello", reason: "it is starting: its process 7 loads the engine and the platform's scripts",
            rule: startLimit, next: givesUp, nextIn: 5, commands: ["stop", "restart", "kill"], lead: boot(5)),
        Case(
            name: "preloaded",
            reason: "it is starting: its code runs in process 7 and has not come to its first suspension yet",
            rule: startLimit, next: givesUp, nextIn: 5, commands: ["stop", "restart", "kill"], lead: boot(6)),
        Case(
            name: "running", reason: "it runs and is wanted",
            rule: "after an end: permanent: restarted after every end, unless it was told to close", next: nil,
            commands: ["stop", "restart", "kill"], lead: boot(7)),
        Case(
            name: "closing, stopped",
            reason: "it is closing, as it was stopped by the user (pid 12): its process 7 has not ended yet",
            rule: grace, next: "SIGTERM, if it has not ended by then; then it is down", nextIn: 1,
            commands: ["kill", "start"], lead: running { $0.at(1, .stop(by: user)) }),
        Case(
            name: "closing, terminated",
            reason: "it is closing, as it was stopped by the user (pid 12): its process 7 has not ended yet",
            rule: "SIGKILL 2 s after a signal that did not end it, and again, until the kernel shows its end",
            next: "SIGKILL, if it has not ended by then; then it is down", nextIn: 1, commands: ["kill", "start"],
            lead: running {
                $0.at(-1, .stop(by: user))
                $0.at(4, .tick)
            }),
        Case(
            name: "closing, restarted",
            reason: "it is closing, to be restarted by the user (pid 12): its process 7 has not ended yet", rule: grace,
            next: "SIGTERM, if it has not ended by then; then it is started anew", nextIn: 4,
            commands: ["kill", "stop"], lead: running { $0.at(4, .restart(by: user)) }),
        Case(
            name: "closing, by itself", reason: "it is closing, by itself: its process 7 has not ended yet",
            rule: grace,
            next: "SIGTERM, if it has not ended by then; \(byRule)", nextIn: 4, commands: ["kill", "stop"],
            lead: running { $0.at(4, .portClosed(connector: "c1", .bye)) }),
        Case(
            name: "closing, hung", reason: "it is closing, as it gave no turn: its process 7 has not ended yet",
            rule: "SIGKILL 2 s after a signal that did not end it, and again, until the kernel shows its end",
            next: "SIGKILL, if it has not ended by then; \(byRule)", nextIn: 1, commands: ["kill", "stop"],
            lead: running { $0.at(4, .hung(Hang(silentFor: .seconds(30), stack: nil, processState: "T"))) }),
        Case(
            name: "closing, the core's turn",
            reason: "it is closing: its process has ended (exit code 3), and the core handles what it had sent",
            rule: "the core knows of an end before anything else happens; one that gives no turn ends the platform",
            next: byRule, commands: ["stop"], lead: running { $0.at(4, .exited(.exited(3))) }),
        Case(
            name: "closing, without a process",
            reason: "it is closing, as its code cannot be used: the core closes its port",
            rule: "there is no process; the core's word is awaited", next: byRule, commands: ["stop"],
            lead: { driver in
                for event in MachineDriver.boot("c1").prefix(2) { driver.at(0, event) }
                driver.at(1, .prepareFailed(connector: "c1", .empty(path: "/c.mjs")))
            }),
        Case(
            name: "closing, its process not there yet",
            reason:
                "it is closing, as the platform shuts down: its process is being made, and ends as"
                + " soon as it is there",
            rule: "a start that is not wanted any more is ended at its next step", next: "then it is down",
            commands: [],
            lead: { driver in
                for event in MachineDriver.boot("c1").prefix(3) { driver.at(0, event) }
                driver.at(1, .shutdown(fast: false))
            }),
        Case(
            name: "waiting", reason: "it waits for its next start, because its last life ended (exited)",
            rule:
                "permanent: restarted after every end, unless it was told to close; the delays grow from 100 ms by a factor"
                + " of 2.0 to 1 min, until a life was ready for 10 s",
            next: "it is started", nextIn: 0.1, commands: ["start", "stop"],
            lead: running { $0.die(5, "c1", .exited(3)) }),
        Case(
            name: "failed, quarantined", reason: "it has failed: it is quarantined after 1 restarts within 5 min",
            rule: "maxRestarts and period: one restart more would have been too many", next: nil,
            commands: ["start", "stop"],
            lead: running {
                $0.die(1, "c1", .exited(3))
                $0.at(2, .tick)
                $0.becomeReady(2, "c2")
                $0.die(3, "c2", .exited(3))
            }),
        Case(
            name: "failed, at fault", reason: "it has failed: another try would end the same (code-missing)",
            rule: "faults of the code are not tried again before somebody has mended them", next: nil,
            commands: ["start", "stop"],
            lead: { driver in
                for event in MachineDriver.boot("c1").prefix(2) { driver.at(0, event) }
                driver.at(1, .prepareFailed(connector: "c1", .missing(path: "/c.mjs")))
                driver.at(1, .portClosed(connector: "c1", .byPlatform))
            }),
    ]

    @Test(arguments: cases)
    func everyStateAndPhaseHasItsSentence(example: Case) {
        var driver = MachineDriver(example.restart) { $0.maxRestarts = 1 }
        example.lead(&driver)
        let explanation = driver.machine.explanation(at: t(5))
        #expect(explanation.reason == example.reason)
        #expect(explanation.rule == example.rule)
        #expect(explanation.next == example.next)
        #expect(explanation.nextAt == example.nextIn.map { t(5 + $0) })
        #expect(explanation.commands.map(\.name) == example.commands)
        #expect(explanation.commands.allSatisfy { !$0.effect.isEmpty })
    }

    @Test func noTwoSentencesAreAlike() {
        let pairs = Set(Self.cases.map { "\($0.reason) | \($0.rule) | \($0.next ?? "")" })
        #expect(pairs.count == Self.cases.count)
    }

    @Test func theEvidenceIsTheVerdictAndTheBudget() {
        var driver = MachineDriver()
        driver.becomeReady(0, "c1")
        driver.die(5, "c1", .exited(3))
        #expect(
            driver.machine.explanation(at: t(5)).evidence == [
                "its last life: exited with 3 (exited, proved)", "1 of 10 restarts within 5 min are used",
            ])
    }
}
