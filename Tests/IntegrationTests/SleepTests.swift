import Foundation
import Glibc
import TestSupport
import Testing

/// A core that says when the machine sleeps and wakes, and that is ready a moment after it was asked.
private let core = """

    __core3NWeb.Core.prototype.onDeviceSystemSuspend = async function() {
        console.log('the core suspends');
        await new Promise(ready => setTimeout(ready, 50));
        console.log('the core is ready');
    };
    __core3NWeb.Core.prototype.onDeviceSystemResume = async () => { console.log('the core resumes'); };
    """

private let slowCore = """

    __core3NWeb.Core.prototype.onDeviceSystemSuspend = () => new Promise(() => console.log('the core suspends'));
    __core3NWeb.Core.prototype.onDeviceSystemResume = () => Promise.reject(new Error('still tired'));
    """

private func supervisor(on address: String, _ probe: CoreProbe) throws -> RunningSupervisor {
    try RunningSupervisor(
        apps: SmallApps.app("idle.test", ["idle.mjs": ""]), resources: probe.path,
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
}

@Suite struct SleepTests {
    @Test func theMachineWaitsForTheCoreAndTheCoreIsToldOfBoth() throws {
        let bus = try MessageBus()
        let logind = try FakeLogind(on: bus)
        defer { logind.stop() }
        let probe = try CoreProbe(before: core)
        let supervisor = try supervisor(on: bus.address, probe)
        #expect(logind.events.wait(for: "inhibited sleep delay by corehost"))
        logind.prepareForSleep(true)
        #expect(logind.events.wait(for: "released"))
        // The inhibitor went after the core was ready, and not before: the line was written by then.
        let ready = try supervisor.line("the core is ready")
        logind.prepareForSleep(false)
        try supervisor.line("the core resumes", from: ready.number)
        try supervisor.wait(for: "another inhibitor") {
            logind.events.all == [
                "there", "inhibited sleep delay by corehost", "released", "inhibited sleep delay by corehost",
            ]
        }
        #expect(try supervisor.end() == 0)
        try supervisor.wait(for: "the last inhibitor let go") { logind.events.all.last == "released" }
    }

    @Test func aCoreThatIsNotReadyInTimeDoesNotKeepTheMachineAwake() throws {
        let bus = try MessageBus()
        let logind = try FakeLogind(on: bus)
        defer { logind.stop() }
        let probe = try CoreProbe(before: slowCore)
        let supervisor = try supervisor(on: bus.address, probe)
        #expect(logind.events.wait(for: "inhibited"))
        let start = ContinuousClock.now
        logind.prepareForSleep(true)
        try supervisor.line("the core suspends")
        #expect(logind.events.wait(for: "released"))
        #expect(ContinuousClock.now - start > .seconds(3.5))
        logind.prepareForSleep(false)
        let failure = try supervisor.line("resuming the core:")
        #expect(failure.text.contains("still tired"))
        #expect(try supervisor.end() == 0)
    }

    @Test func aBusThatGoesAndComesBackIsFoundAgain() throws {
        let bus = try MessageBus()
        let first = try FakeLogind(on: bus)
        let probe = try CoreProbe(before: core)
        let supervisor = try supervisor(on: bus.address, probe)
        #expect(first.events.wait(for: "inhibited"))
        first.stop()
        let next = try bus.restarted()
        let second = try FakeLogind(on: next)
        defer { second.stop() }
        #expect(second.events.wait(for: "inhibited"))
        second.prepareForSleep(true)
        try supervisor.line("the core is ready")
        #expect(second.events.wait(for: "released"))
        #expect(try supervisor.end() == 0)
    }

    @Test func aRefusedInhibitorIsNoReasonNotToTellTheCore() throws {
        let bus = try MessageBus()
        let logind = try FakeLogind(on: bus, refuses: true)
        defer { logind.stop() }
        let probe = try CoreProbe(before: core)
        let supervisor = try supervisor(on: bus.address, probe)
        #expect(logind.events.wait(for: "refused"))
        logind.prepareForSleep(true)
        try supervisor.line("the core is ready")
        #expect(try supervisor.end() == 0)
    }

    @Test(arguments: [true, false])
    func withoutABusOrWithoutLogindOneLineSaysSo(hasBus: Bool) throws {
        let bus = try MessageBus()
        let probe = try CoreProbe(before: core)
        let supervisor = try supervisor(on: hasBus ? bus.address : "unix:path=/nonexistent/bus", probe)
        let wanted = hasBus ? "no logind on the system bus" : "no system bus"
        let lines = { try supervisor.corehost("logs").lines.filter { $0.contains("suspend and resume") } }
        try supervisor.wait(for: wanted) { try !lines().isEmpty }
        #expect(try lines().count == 1)
        #expect(try lines()[0].contains(wanted))
        #expect(try supervisor.end() == 0)
    }
}
