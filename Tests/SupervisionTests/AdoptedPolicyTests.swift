import Supervision
import Testing

/// Rules that change while a component lives, and a start that takes longer than they say.
@Suite struct AdoptedPolicyTests {
    private let id = ComponentID(appDomain: "a.b", entrypoint: "/c.mjs")

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private func starting(_ policy: RestartPolicy) -> ComponentMachine {
        var machine = ComponentMachine(ComponentSpec(id: id, policy: policy))
        let events: [ComponentEvent] = [
            .start(by: .platform), .startRequested(connector: "c"), .slotGranted, .prepared(connector: "c"),
            .spawned(pid: 7), .hello, .preloaded,
        ]
        for event in events { _ = machine.handle(event, at: at(0), random: 0.5) }
        return machine
    }

    @Test func aStartMayBeExtendedTenfoldAndNoFurther() {
        var machine = starting(RestartPolicy(restart: .permanent, startTimeout: .seconds(10)))
        #expect(machine.deadline == at(10))
        _ = machine.handle(.startExtended(.seconds(20)), at: at(5), random: 0.5)
        #expect(machine.deadline == at(25))
        _ = machine.handle(.startExtended(.seconds(1)), at: at(6), random: 0.5)
        #expect(machine.deadline == at(25), "less time than there is")
        _ = machine.handle(.startExtended(.seconds(1000)), at: at(7), random: 0.5)
        #expect(machine.deadline == at(100))
        #expect(machine.handle(.tick, at: at(99), random: 0.5).isEmpty)
        #expect(machine.handle(.tick, at: at(100), random: 0.5).contains(.signal(15)))
        _ = machine.handle(.exited(.signalled(15)), at: at(100), random: 0.5)
        let actions = machine.handle(.portClosed(connector: "c", .endOfFile(partialFrame: 0)), at: at(100), random: 0.5)
        let verdicts = actions.compactMap { if case .record(let verdict, _) = $0 { verdict } else { nil } }
        #expect(verdicts.first?.cause == .startTimeout)
        #expect(
            verdicts.first?.text.hasPrefix("not ready 1 min after") == true
                || verdicts.first?.text.hasPrefix("not ready 100 s") == true)
    }

    @Test func readyComponentsExtendNothing() {
        var machine = starting(RestartPolicy(restart: .permanent))
        _ = machine.handle(.ready, at: at(1), random: 0.5)
        #expect(machine.handle(.startExtended(.seconds(9)), at: at(2), random: 0.5).isEmpty)
        #expect(machine.deadline == nil)
    }

    @Test func newBoundsCountWhatWasCounted() {
        var budget = RestartBudget(maxRestarts: 3, period: .seconds(100))
        let first = [0, 1].map { budget.take(at: at($0)) }
        budget.adopt(maxRestarts: 2, period: .seconds(100))
        let second = budget.take(at: at(2))
        budget.adopt(maxRestarts: 2, period: .seconds(2))
        let third = budget.take(at: at(2.5))
        #expect(first == [true, true] && !second && third)
    }

    @Test func newRulesKeepTheStateAndTheDelayThatIsWaitedFor() {
        var machine = starting(RestartPolicy(restart: .permanent, backoff: BackoffPolicy(jitter: 0)))
        _ = machine.handle(.exited(.exited(3)), at: at(1), random: 0.5)
        _ = machine.handle(.portClosed(connector: "c", .endOfFile(partialFrame: 0)), at: at(1), random: 0.5)
        let due = machine.deadline
        #expect(due == at(1.1))
        machine.adopt(RestartPolicy(restart: .temporary, backoff: BackoffPolicy(first: .seconds(9), jitter: 0)))
        #expect(machine.deadline == due)
        #expect(machine.handle(.tick, at: at(1.1), random: 0.5) == [.askCoreToLaunch])
    }
}
