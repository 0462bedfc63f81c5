import Control
import Faults
import Supervision
import Testing

@testable import Chaos

/// The run as a machine, with a clock of the test's.
@Suite struct ChaosRunTests {
    /// Performs what a run asks for at once, by the answers that a test gives.
    private struct World {
        var run: ChaosRun
        var now = Instant(nanoseconds: 0)
        var calls: [CallSpec] = []
        var deeds = 0
        var rollBacks = 0
        var faultsRolledBack: Set<Int> = []
        var probe: (Instant) -> ProbeAnswer = { _ in .doctor([]) }
        var act: (Instant) -> (ActAnswer, [Sighting]) = { _ in (.done(["a/x"]), []) }
        var find: ([CallSpec]) -> CallAnswer = { _ in CallAnswer(.returned([]), took: .zero) }
        var call: (CallSpec) -> CallAnswer.Outcome = { _ in .returned(nil) }
        var stillThere: [String] = []

        init(_ more: String, duration: String = "2s") throws {
            let scenario = try Scenario(
                text:
                    #"{"schema": "corehost.scenario/1", "name": "t", "duration": "\#(duration)", "settle": "1s", \#(more)}"#,
                file: "f")
            run = ChaosRun(scenario, seed: 1, mark: "m")
        }

        mutating func send(_ event: ChaosRun.Event) {
            for action in run.handle(event, at: now) {
                switch action {
                case .prepare(let spec): send(.prepared(CallAnswer(call(spec), took: .milliseconds(1))))
                case .ask(let index, _): send(.probed(index, probe(now)))
                case .call(let load, let client, let spec):
                    calls.append(spec)
                    send(.called(load: load, client: client, CallAnswer(call(spec), took: .milliseconds(1))))
                case .find(let load, _): send(.found(load: load, find(calls)))
                case .act(let index, _, _):
                    deeds += 1
                    let (answer, sightings) = act(now)
                    send(.acted(index, answer))
                    for sighting in sightings { send(.seen(sighting)) }
                case .rollBack(let faults):
                    rollBacks += 1
                    faultsRolledBack = faults
                    send(.rolledBack(stillThere: stillThere))
                case .end: break
                }
            }
        }

        /// To the end; `at` is called before each wake-up.
        mutating func finish(_ at: (inout World) -> Void = { _ in }) {
            send(.began)
            var turns = 0
            while run.outcome == nil, turns < 10_000, let wake = run.wakeAt {
                turns += 1
                now = max(now, wake)
                at(&self)
                if run.outcome == nil { send(.tick) }
            }
        }

        var report: ChaosReport { ChaosReport(run, seed: 1, end: nil) }
        var broken: [String] { report.broken.map(\.name) }
    }

    private static let load = #"""
        "load": [{"name": "w", "every": "100ms",
            "call": {"app": "a", "service": "S", "method": "add", "arguments": ["w ${n}"]},
            "find": {"call": {"app": "a", "service": "S", "method": "list"}, "member": "t", "value": "w ${n}"}}]
        """#

    private static func stored(_ calls: some Sequence<CallSpec>) -> CallAnswer {
        CallAnswer(.returned(.array(calls.map { ["t": $0.arguments[0]] })), took: .milliseconds(1))
    }

    @Test func holds() throws {
        var world = try World(
            #""probes": [{"name": "p", "doctor": true, "when": ["before", "during", "after"], "every": "500ms"}], "#
                + #""actions": [{"every": "500ms", "kill": {"target": "all"}}], "# + Self.load)
        world.act = { _ in (.done(["a/x"]), [.died(component: "a/x", cause: "killed"), .running(component: "a/x")]) }
        world.find = Self.stored
        world.finish()
        #expect(world.run.outcome == .held && world.broken == [])
        #expect(world.deeds == 3 && world.calls.count == 20 && world.rollBacks == 1)
        #expect(world.report.recoveries.deaths == 3 && world.report.exitCode == .ok)
    }

    @Test func whatIsNotSteadyBeforeIsNotTried() throws {
        var world = try World(
            #""probes": [{"name": "p", "doctor": true}], "actions": [{"at": "0s", "kill": {"target": "all"}}]"#)
        world.probe = { _ in .doctor(["x is y"]) }
        world.finish()
        #expect(
            world.run.outcome
                == .couldNotRun("not steady before anything was done: p: the doctor finds: x is y", .failed))
        #expect(world.deeds == 0 && world.report.exitCode == .failed)
    }

    @Test func itWaitsUntilItIsSteady() throws {
        var world = try World(#""probes": [{"name": "p", "doctor": true}]"#)
        world.probe = { $0 < Instant(nanoseconds: 500_000_000) ? .doctor(["not yet"]) : .doctor([]) }
        world.finish()
        #expect(world.run.outcome == .held)
    }

    @Test func aProbeThatFailsAfterwardsIsNamed() throws {
        var world = try World(
            #""probes": [{"name": "it is well", "doctor": true}], "actions": [{"at": "1s", "kill": {"target": "all"}}]"#
        )
        world.probe = { $0 < Instant(nanoseconds: 1_000_000_000) ? .doctor([]) : .doctor(["x"]) }
        world.finish()
        #expect(world.run.outcome == .broken && world.broken == ["it is well"])
        #expect(world.report.exitCode == .probeFailed)
        #expect(world.report.verdict == "t, seed 1: BROKEN: it is well")
    }

    @Test(arguments: [(0.5, true), (0.9, false)])
    func meanwhileAShareOfTheAnswersMayFail(share: Double, holds: Bool) throws {
        var world = try World(
            #""probes": [{"name": "p", "doctor": true, "when": ["during"], "every": "100ms", "share": \#(share)}]"#)
        world.probe = { $0 < Instant(nanoseconds: 500_000_000) ? .doctor(["x"]) : .doctor([]) }
        world.finish()
        #expect(world.broken == (holds ? [] : ["p"]))
        #expect(world.report.probes[0].asked == 20 && world.report.probes[0].held == 15)
    }

    @Test func lostAndDuplicatedWritesAreCounted() throws {
        var world = try World(Self.load)
        world.find = { calls in Self.stored(calls.dropFirst(2) + calls.suffix(1)) }
        world.finish()
        #expect(world.broken == ["w: no acknowledged write is lost", "w: no write is there twice"])
        let account = try #require(world.report.loads[0].account)
        #expect(account.lost == ["m-1", "m-2"] && account.duplicated == ["m-20"] && account.acknowledged == 20)
    }

    @Test func aRejectedWriteMayBeThereOrNot() throws {
        var world = try World(Self.load)
        world.call = {
            $0.arguments[0] == "w m-3" ? .rejected(["type": "rpc", "connectionClosed": true]) : .returned(nil)
        }
        world.find = Self.stored
        world.finish()
        #expect(world.run.outcome == .held)
        #expect(world.report.loads[0].rejected == ["rpc.connectionClosed": 1])
        #expect(world.report.loads[0].account?.unacknowledged == 1)
    }

    @Test func aCallWithoutAnyAnswerBreaksAPromise() throws {
        var world = try World(Self.load)
        world.call = { $0.arguments[0] == "w m-3" ? .unanswered("no answer within 15 s") : .returned(nil) }
        world.find = Self.stored
        world.finish()
        #expect(world.broken == ["w: every call is answered"])
    }

    @Test func oneThatDoesNotComeBackIsNamed() throws {
        var world = try World(#""actions": [{"at": "1s", "kill": {"target": "all"}}]"#)
        world.act = { _ in (.done(["a/x"]), [.died(component: "a/x", cause: "killed")]) }
        world.finish()
        #expect(world.broken == ["every component is back within 1 s"])
        #expect(world.report.broken[0].detail == "a/x did not come back")
    }

    @Test func lateRecoveriesAreFound() throws {
        var world = try World(
            #""recovery": {"within": "800ms", "p99": "300ms"}, "actions": [{"at": "500ms", "kill": {"target": "all"}}]"#
        )
        world.act = { _ in (.done(["a/x"]), [.died(component: "a/x", cause: "killed")]) }
        var isBack = false
        world.finish { world in
            if !isBack, world.now >= Instant(nanoseconds: 1_000_000_000) {
                isBack = true
                world.send(.seen(.running(component: "a/x")))
            }
        }
        #expect(world.broken == ["every component is back within 800 ms", "99 of 100 are back within 300 ms"])
    }

    @Test(arguments: [true, false])
    func aFaultThatIsNeverAppliedTeachesNothing(isApplied: Bool) throws {
        var world = try World(
            #""actions": [{"at": "1s", "fault": {"kind": "slow-start", "target": "all", "duration": "1s"}}]"#)
        world.act = { _ in (.injected(fault: 4), [.applied(fault: isApplied ? 4 : 3, component: "a/x")]) }
        world.finish()
        if isApplied {
            #expect(world.run.outcome == .held)
        } else {
            #expect(world.run.outcome == .couldNotRun("slow-start all was never done", .failed))
        }
        #expect(world.faultsRolledBack == [4])
    }

    @Test func anActionThatIsNeverDoneTeachesNothing() throws {
        var world = try World(#""actions": [{"at": "1s", "kill": {"target": "id=nobody"}}]"#)
        world.act = { _ in (.nothing("no component id=nobody"), []) }
        world.finish()
        #expect(world.run.outcome == .couldNotRun("kill id=nobody was never done: no component id=nobody", .failed))
    }

    @Test func aRefusalEndsItWithItsExitCode() throws {
        var world = try World(
            #""actions": [{"at": "1s", "kill": {"target": "all"}}, {"at": "2s", "kill": {"target": "all"}}]"#)
        world.act = { _ in (.refused(ControlError(.refused, "not allowed")), []) }
        world.finish()
        #expect(world.run.outcome == .couldNotRun("kill all: not allowed", .refused))
        #expect(world.rollBacks == 1 && world.report.exitCode == .refused)
        #expect(world.report.promises.allSatisfy { $0.verdict == .notJudged })
    }

    @Test func anInterruptionUndoesEverything() throws {
        var world = try World(#""actions": [{"at": "1s", "kill": {"target": "all"}}]"#)
        world.finish { world in
            if world.deeds == 1 { world.send(.interrupted(signal: 15)) }
        }
        #expect(world.run.outcome == .interrupted(signal: 15) && world.rollBacks == 1)
    }

    @Test func whatStaysInjectedIsABrokenPromise() throws {
        var world = try World(#""seed": 3"#)
        world.stillThere = ["fault 4 (pause)"]
        world.finish()
        #expect(world.broken == ["nothing stays injected"])
    }

    @Test(arguments: [true, false])
    func aSupervisorThatGoesAwayIsTold(wasEnded: Bool) throws {
        var world = try World(#""actions": [{"every": "500ms", "kill": {"target": "all"}}]"#)
        world.finish { world in
            guard world.deeds == 1 else { return }
            if wasEnded { world.send(.seen(.closes)) }
            world.send(.gone("connection reset"))
        }
        if wasEnded {
            #expect(world.report.exitCode == .notRunning && world.broken == [])
        } else {
            #expect(world.report.exitCode == .probeFailed && world.broken == ["the supervisor goes on"])
        }
    }

    @Test func preparedValuesAreInCalls() throws {
        var world = try World(
            #"""
            "prepare": [{"as": "c", "member": "id", "call": {"app": "a", "service": "S", "method": "make"}}],
            "load": [{"name": "w", "call": {"app": "a", "service": "S", "method": "use", "arguments": ["${c}"]}}]
            """#)
        world.call = { $0.method == "make" ? .returned(["id": "c1"]) : .returned(nil) }
        world.finish()
        #expect(world.run.outcome == .held && world.calls.first?.arguments == ["c1"])
    }

    @Test func aPreparationThatFailsEndsIt() throws {
        var world = try World(#""prepare": [{"as": "c", "call": {"app": "a", "service": "S", "method": "make"}}]"#)
        world.call = { _ in .rejected(["type": "rpc", "serviceNotFound": true]) }
        world.finish()
        #expect(
            world.run.outcome
                == .couldNotRun("S.make, which prepares ${c}, was rejected: rpc.serviceNotFound", .failed))
    }

    /// Whatever comes in whatever order: it ends, is rolled back, and does nothing after its end.
    @Test func anyOrderOfEventsHasAnEnd() throws {
        for seed: UInt64 in 0..<2000 {
            var random = Lots(seed: seed)
            var world = try World(
                #""probes": [{"name": "p", "doctor": true, "when": ["before", "during", "after"]}], "#
                    + #""actions": [{"every": "300ms", "kill": {"target": "all"}}], "# + Self.load, duration: "1s")
            let isFlaky = Bool.random(using: &random)
            var coin = random
            world.probe = { _ in isFlaky && coin.next() % 3 == 0 ? .failed("flaky") : .doctor([]) }
            world.finish { world in
                let events: [ChaosRun.Event] = [
                    .seen(.died(component: "a/x", cause: "killed")), .seen(.running(component: "a/x")),
                    .seen(.failed(component: "a/x", reason: "r")), .seen(.missed(3)), .seen(.down(component: "a/x")),
                    .seen(.closes), .tick, .tick, .interrupted(signal: 2), .gone("gone"),
                ]
                let kind = Int.random(in: 0..<40, using: &random)
                if kind < events.count { world.send(events[kind]) }
            }
            #expect(world.run.outcome != nil, "seed \(seed)")
            #expect(world.run.handle(.tick, at: world.now).isEmpty && world.run.wakeAt == nil, "seed \(seed)")
            let wasGone = world.run.timeline.entries.contains { $0.text.hasPrefix("the supervisor") }
            #expect(world.rollBacks >= 1 || wasGone, "seed \(seed): \(world.run.outcome as Any)")
        }
    }
}
