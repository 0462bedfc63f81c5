import Supervision
import Testing

/// The schedule of background tasks, with a clock and a machine of the test's own.
@Suite struct BackgroundTaskTests {
    typealias Manager = BackgroundTaskManager

    private static let calm = MachineConditions(load: 0.1, power: .external)
    private static let busy = MachineConditions(load: 3, power: .external)
    private static let unplugged = MachineConditions(load: 0.1, power: .battery)

    private static func id(_ name: String) -> ComponentID { ComponentID(appDomain: "a.b", entrypoint: "/\(name).mjs") }

    private static func spec(
        _ mode: BackgroundMode, _ name: String = "c", _ window: WindowPolicy = WindowPolicy()
    ) -> BackgroundTask.Spec { BackgroundTask.Spec(component: id(name), mode: mode, window: window) }

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// In the middle: windows come exactly after `every`.
    private func send(_ event: Manager.Event, _ manager: inout Manager, at seconds: Double) -> [Manager.Action] {
        manager.handle(event, at: at(seconds), random: 0.5)
    }

    private func loggedIn(_ specs: BackgroundTask.Spec..., permitted: PermittedTasks = .all) -> Manager {
        var manager = Manager(permitted: permitted)
        _ = send(.loggedIn(specs), &manager, at: 0)
        return manager
    }

    /// Its component came up and is there until its next presence.
    private func isUp(_ manager: inout Manager, at seconds: Double) {
        _ = send(.presence(Self.id("c"), .up), &manager, at: seconds)
    }

    private func close(_ manager: inout Manager, at seconds: Double) -> [Manager.Action] {
        send(.presence(Self.id("c"), .closing), &manager, at: seconds)
            + send(.presence(Self.id("c"), .down), &manager, at: seconds)
    }

    private func state(_ manager: Manager) -> BackgroundTask.State? { manager.tasks.first?.state }

    @Test func identifiers() {
        func identifier(_ app: String, _ entry: String) -> String {
            BackgroundTask.Spec.identifier(of: ComponentID(appDomain: app, entrypoint: entry))
        }
        #expect(identifier("chat.app.privacysafe.io", "/background-instance.mjs") == "io.privacysafe.chat.sync")
        #expect(identifier("contacts.app.privacysafe.io", "/contactDenoServices.js") == "io.privacysafe.contacts.sync")
        #expect(identifier("treasure.app.privacysafe.io", "/treasureDenoServices.js") == "io.privacysafe.treasure.sync")
        #expect(identifier("notes.example.org", "/sync.mjs") == "notes.example.org.sync.mjs")
    }

    @Test func theLoginStartsWhatAlwaysRunsInOrder() {
        var manager = Manager()
        let specs = [
            Self.spec(.always, "z"), Self.spec(.push, "p"), Self.spec(.foreground, "a"), Self.spec(.windowed, "w"),
        ]
        #expect(send(.loggedIn(specs), &manager, at: 5) == [.start(Self.id("z")), .start(Self.id("a"))])
        #expect(manager.deadline == at(5))
        #expect(send(.loggedOut, &manager, at: 6) == [] && manager.deadline == nil && manager.tasks.isEmpty)
        #expect(send(.changed(specs), &manager, at: 7) == [] && manager.tasks.isEmpty)
    }

    @Test func aWindowOpensClosesAndComesAgain() {
        var manager = loggedIn(Self.spec(.windowed))
        #expect(
            send(.tick(Self.calm), &manager, at: 0) == [.began(Self.spec(.windowed), .window), .start(Self.id("c"))])
        isUp(&manager, at: 1)
        #expect(manager.deadline == at(60))
        // What it does itself makes load.
        #expect(send(.tick(Self.busy), &manager, at: 60) == [] && manager.deadline == at(120))
        #expect(send(.tick(Self.busy), &manager, at: 180) == [.stop(Self.id("c"))])
        #expect(manager.deadline == nil)
        let past = close(&manager, at: 181)
        #expect(past.count == 1 && manager.tasks[0].cycles == 1)
        #expect(manager.tasks[0].last?.outcome == .timeOver && manager.tasks[0].last?.ended == at(181))
        #expect(state(manager) == .scheduled(due: at(900)))
        #expect(send(.tick(Self.calm), &manager, at: 899) == [])
        #expect(send(.tick(Self.calm), &manager, at: 900).count == 2)
    }

    @Test func oneThatClosesItselfIsDone() {
        var manager = loggedIn(Self.spec(.windowed))
        _ = send(.tick(Self.calm), &manager, at: 0)
        isUp(&manager, at: 1)
        #expect(close(&manager, at: 20).count == 1)
        #expect(manager.tasks[0].last?.outcome == .ended && state(manager) == .scheduled(due: at(900)))
    }

    @Test(arguments: [
        (busy, "the machine is busy: its load is 3.0 for each processor, and 0.5 is the most"),
        (unplugged, "the machine runs on its battery"),
    ])
    func aWindowWaitsForTheMachineAndOpensAtTheNextChance(conditions: MachineConditions, words: String) {
        var manager = loggedIn(Self.spec(.windowed))
        guard case .waits(_, let unmet)? = send(.tick(conditions), &manager, at: 0).first else {
            Issue.record("it does not wait: \(manager)")
            return
        }
        #expect(unmet.map { "\($0)" } == [words])
        #expect(manager.deadline == at(60))
        #expect(send(.tick(conditions), &manager, at: 60) == [], "told once")
        // However long it waited, one window is missed, not many.
        #expect(send(.tick(Self.calm), &manager, at: 5000).contains(.start(Self.id("c"))))
        isUp(&manager, at: 5001)
        _ = send(.tick(Self.calm), &manager, at: 5180)
        _ = close(&manager, at: 5180)
        #expect(state(manager) == .scheduled(due: at(5900)))
    }

    @Test func aBatteryDoesNotMatterWhereTheConfigurationSaysSo() {
        var manager = loggedIn(Self.spec(.windowed, "c", WindowPolicy(power: .any)))
        #expect(send(.tick(Self.unplugged), &manager, at: 0).count == 2)
        #expect(manager.deadline == at(180))
    }

    @Test func aWindowIsClosedWhenThePlugIsPulled() {
        var manager = loggedIn(Self.spec(.windowed))
        _ = send(.tick(Self.calm), &manager, at: 0)
        isUp(&manager, at: 1)
        #expect(send(.tick(Self.unplugged), &manager, at: 60) == [.stop(Self.id("c"))])
        _ = close(&manager, at: 61)
        #expect(manager.tasks[0].last?.outcome == .powerLost && state(manager) == .scheduled(due: at(900)))
    }

    @Test func whoeverRunsAnywayIsLeftAlone() {
        var manager = loggedIn(Self.spec(.windowed))
        isUp(&manager, at: 0)
        #expect(send(.tick(Self.calm), &manager, at: 0) == [] && state(manager) == .scheduled(due: at(900)))
        // The user takes over a window that is open.
        _ = close(&manager, at: 100)
        _ = send(.tick(Self.calm), &manager, at: 900)
        isUp(&manager, at: 901)
        #expect(send(.startedByUser(Self.id("c")), &manager, at: 910).count == 1)
        #expect(manager.tasks[0].last?.outcome == .startedByUser)
        #expect(send(.tick(Self.calm), &manager, at: 1080) == [])
    }

    @Test func aComponentThatAnAppNeedsAtTheEndOfItsWindowIsNotStoppedAgain() {
        var manager = loggedIn(Self.spec(.windowed))
        _ = send(.tick(Self.calm), &manager, at: 0)
        isUp(&manager, at: 1)
        #expect(send(.tick(Self.calm), &manager, at: 180) == [.stop(Self.id("c"))])
        #expect(send(.presence(Self.id("c"), .closing), &manager, at: 180) == [])
        #expect(send(.presence(Self.id("c"), .up), &manager, at: 181).count == 1)
        #expect(send(.tick(Self.calm), &manager, at: 400) == [] && state(manager) == .scheduled(due: at(900)))
    }

    @Test(arguments: [
        (BackgroundTask.Presence.failed, "failed", Manager.WakeRefusal.failed),
        (.stoppedByUser, "stopped", .stoppedByUser),
    ])
    func oneThatMayNotRunIsNotTried(presence: BackgroundTask.Presence, name: String, refusal: Manager.WakeRefusal) {
        var manager = loggedIn(Self.spec(.windowed))
        _ = send(.tick(Self.calm), &manager, at: 0)
        isUp(&manager, at: 1)
        #expect(send(.presence(Self.id("c"), presence), &manager, at: 2).count == 1)
        guard case .waits(_, let unmet)? = send(.tick(Self.calm), &manager, at: 900).first else {
            Issue.record("it does not wait: \(manager)")
            return
        }
        #expect(unmet.map(\.name) == [name])
        #expect(throws: refusal) { try manager.wake(Self.id("c"), at: at(901)).get() }
    }

    @Test func manyWakesWhileACycleRunsAreOneMore() throws {
        var manager = loggedIn(Self.spec(.push))
        #expect(manager.deadline == nil)
        let first = try manager.wake(Self.id("c"), at: at(10)).get()
        #expect(first.woken == .started)
        #expect(first.actions == [.began(Self.spec(.push), .wake), .start(Self.id("c"))])
        isUp(&manager, at: 11)
        for woken in [Manager.Woken.queued, .merged, .merged] {
            let next = try manager.wake(Self.id("c"), at: at(12)).get()
            #expect(next.woken == woken && next.actions == [])
        }
        #expect(close(&manager, at: 20).dropFirst() == first.actions[...])
        isUp(&manager, at: 21)
        #expect(close(&manager, at: 22).count == 1)
        #expect(manager.tasks[0].cycles == 2 && state(manager) == .unscheduled && manager.deadline == nil)
    }

    @Test func aPushedCycleHasAnEnd() throws {
        var manager = loggedIn(Self.spec(.push))
        _ = try manager.wake(Self.id("c"), at: at(10)).get()
        isUp(&manager, at: 11)
        #expect(manager.deadline == at(190))
        // Without regard to the machine, from begin to end.
        #expect(send(.tick(Self.unplugged), &manager, at: 189) == [])
        #expect(send(.tick(Self.calm), &manager, at: 190) == [.stop(Self.id("c"))])
        let late = try manager.wake(Self.id("c"), at: at(190)).get()
        #expect(late.woken == .queued)
        #expect(close(&manager, at: 191).count == 3)
    }

    @Test func wakesThatCannotBe() throws {
        var manager = loggedIn(Self.spec(.always), permitted: PermittedTasks(identifiers: ["a.b.c.mjs"]))
        #expect(throws: Manager.WakeRefusal.notInCycles(.always)) { try manager.wake(Self.id("c"), at: at(1)).get() }
        #expect(throws: Manager.WakeRefusal.unknown) { try manager.wake(Self.id("x"), at: at(1)).get() }
        manager = loggedIn(Self.spec(.push), permitted: PermittedTasks(identifiers: ["a.b.x.mjs"]))
        #expect(throws: Manager.WakeRefusal.notPermitted) { try manager.wake(Self.id("c"), at: at(1)).get() }
        manager = loggedIn(Self.spec(.push))
        isUp(&manager, at: 1)
        #expect(try manager.wake(Self.id("c"), at: at(1)).get().woken == .running)
    }

    @Test func whatIsNotPermittedIsNotRegistered() {
        var manager = Manager(permitted: PermittedTasks(identifiers: []))
        let specs = [Self.spec(.always, "c"), Self.spec(.windowed, "w")]
        #expect(send(.loggedIn(specs), &manager, at: 0) == [.notPermitted(specs[0]), .notPermitted(specs[1])])
        #expect(manager.deadline == nil)
        let some = PermittedTasks(identifiers: ["a.b.c.mjs", "a.b.w.mjs"])
        #expect(send(.permitted(some), &manager, at: 9) == [.start(Self.id("c"))])
        #expect(manager.deadline == at(9))
        _ = send(.tick(Self.calm), &manager, at: 9)
        _ = send(.presence(Self.id("w"), .up), &manager, at: 10)
        let none = send(.permitted(PermittedTasks(identifiers: [])), &manager, at: 11)
        #expect(none == [.notPermitted(specs[0]), .stop(Self.id("w")), .notPermitted(specs[1])])
        #expect(send(.presence(Self.id("w"), .down), &manager, at: 12).count == 1)
        #expect(manager.deadline == nil && manager.tasks[1].last?.outcome == .reconfigured)
    }

    @Test func modesChangeWhileComponentsRun() {
        var manager = loggedIn(Self.spec(.always))
        isUp(&manager, at: 1)
        // What runs has a window from now on.
        #expect(
            send(.changed([Self.spec(.windowed)]), &manager, at: 100) == [.began(Self.spec(.windowed), .window)])
        #expect(send(.tick(Self.calm), &manager, at: 280) == [.stop(Self.id("c"))])
        // Again always, while it closes: it is wanted as soon as it is down.
        #expect(send(.changed([Self.spec(.always)]), &manager, at: 280) == [])
        #expect(close(&manager, at: 281).last == .start(Self.id("c")))
        isUp(&manager, at: 282)
        #expect(send(.changed([Self.spec(.push)]), &manager, at: 300).count == 1)
        #expect(send(.changed([Self.spec(.foreground)]), &manager, at: 301).count == 1)
        #expect(send(.tick(Self.calm), &manager, at: 9999) == [], "nobody closes it")
        _ = close(&manager, at: 10_000)
        #expect(send(.changed([Self.spec(.always)]), &manager, at: 10_001) == [.start(Self.id("c"))])
        let faster = Self.spec(.windowed, "c", WindowPolicy(every: .seconds(60), length: .seconds(9)))
        _ = send(.changed([Self.spec(.windowed)]), &manager, at: 10_002)
        _ = send(.tick(Self.calm), &manager, at: 10_002)
        isUp(&manager, at: 10_003)
        _ = close(&manager, at: 10_004)
        #expect(state(manager) == .scheduled(due: at(10_902)))
        _ = send(.changed([faster]), &manager, at: 10_010)
        #expect(state(manager) == .scheduled(due: at(10_070)))
        #expect(send(.changed([]), &manager, at: 10_011) == [] && manager.deadline == nil)
    }

    @Test func windowsOfManyTasksDriftApart() {
        var manager = loggedIn(Self.spec(.windowed))
        for (random, due) in [(0.0, 810.0), (0.999, 989.8)] {
            var other = manager
            _ = other.handle(.tick(Self.calm), at: at(0), random: 0)
            _ = other.handle(.presence(Self.id("c"), .up), at: at(1), random: 0)
            _ = other.handle(.presence(Self.id("c"), .down), at: at(2), random: random)
            guard case .scheduled(let next)? = state(other) else {
                Issue.record("not scheduled: \(other)")
                return
            }
            #expect(abs((next - at(due)) / .seconds(1)) < 0.1)
        }
        _ = send(.loggedOut, &manager, at: 3)
    }
}

/// What the kernel lists as power supplies, and what that comes to.
@Suite struct PowerSupplyTests {
    private static func battery(_ status: String?, scope: String? = nil) -> PowerSupply {
        PowerSupply(type: "Battery", status: status, scope: scope)
    }

    private static func mains(_ online: Bool) -> PowerSupply { PowerSupply(type: "Mains", online: online) }

    @Test(
        arguments: [
            ([], .noBattery), ([mains(true)], .noBattery), ([mains(false)], .noBattery),
            ([battery("Charging")], .external), ([battery("Full"), mains(false)], .external),
            ([battery("Discharging")], .battery), ([battery("Discharging"), mains(true)], .battery),
            ([battery("Charging"), battery("Discharging")], .battery),
            ([battery("Not charging"), mains(true)], .external), ([battery("Unknown"), mains(false)], .battery),
            ([battery("Unknown")], .external), ([battery(nil), mains(true), mains(false)], .external),
            ([battery("Discharging", scope: "Device")], .noBattery),
            ([battery("Discharging", scope: "Device"), battery("Full", scope: "System")], .external),
            ([battery("Not charging"), PowerSupply(type: "USB", online: true), mains(false)], .external),
        ] as [([PowerSupply], MachineConditions.Power)])
    func power(supplies: [PowerSupply], power: MachineConditions.Power) {
        #expect(MachineConditions.Power(supplies) == power)
    }
}
