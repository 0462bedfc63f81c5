import Control
import Foundation
import TestSupport
import Testing

/// What a service manager is told, by the real program, at a socket of the test's own.
@Suite struct ServiceManagerTests {
    private static let id = "fine.test/e.mjs"
    private static let app = SmallApps.app("fine.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])

    private let folder = Result { try TestSupport.TemporaryFolder() }

    private func supervisor(
        _ socket: NotifySocket, resources: String = RunningSupervisor.resources, configuration: String? = nil,
        options: [String] = [], isLocal: Bool = true, variables: [String: String] = [:], waits: Bool = true
    ) throws -> RunningSupervisor {
        try RunningSupervisor(
            apps: Self.app, configuration: configuration, resources: resources, options: options, isLocal: isLocal,
            environment: ["NOTIFY_SOCKET": socket.address].merging(variables) { $1 }, waitsForPlatform: waits)
    }

    @Test(arguments: [true, false]) func aLifeFromTheBootToTheEnd(isAbstract: Bool) throws {
        let path = try folder.get().path + "/notify"
        let manager = try NotifySocket(isAbstract ? "@corehost-test-\(getpid())" : path)
        let supervisor = try supervisor(manager)
        #expect(try manager.next() == ["STATUS=booting"])
        #expect(try manager.next("READY=1") == ["READY=1", "MAINPID=\(supervisor.program.pid)"])
        try manager.next("STATUS=logged in, components: 1 running")
        _ = try supervisor.corehost("stop", Self.id)
        try manager.next("STATUS=logged in, components: none")
        _ = try supervisor.corehost("start", Self.id)
        try manager.next("STATUS=logged in, components: 1 running")
        #expect(try supervisor.end() == 0)
        // 5 s for the component, 2 s for its end, 5 s for the core, 2 s for what is killed, 3 s for the logs.
        #expect(try manager.next("STOPPING=1") == ["STOPPING=1", "EXTEND_TIMEOUT_USEC=17000000"])
        #expect(try manager.next() == ["STATUS=shutting down, 1 components left"])
    }

    @Test func whoCanBeLoggedInToIsReady() throws {
        let manager = try NotifySocket(try folder.get().path + "/notify")
        let supervisor = try supervisor(manager, isLocal: false)
        try manager.next("READY=1")
        try manager.next("STATUS=waiting for a login")
        #expect(try supervisor.end() == 0)
    }

    @Test func aReloadIsToldFromItsBeginningToItsEnd() throws {
        let manager = try NotifySocket(try folder.get().path + "/notify")
        let supervisor = try supervisor(manager)
        try manager.next("READY=1")
        supervisor.program.signal(SIGHUP)
        let reloading = try manager.next("RELOADING=1")
        let time = reloading.last.flatMap { $0.hasPrefix("MONOTONIC_USEC=") ? Int64($0.dropFirst(15)) : nil }
        #expect(reloading.count == 2 && time ?? 0 > 0, "\(reloading)")
        #expect(try manager.next("READY=1") == ["READY=1"])
        #expect(try supervisor.end() == 0)
    }

    @Test func aBootThatFailsSaysWhy() throws {
        let manager = try NotifySocket(try folder.get().path + "/notify")
        let resources = try CoreProbe(before: "throw new Error('no good');")
        let supervisor = try supervisor(manager, resources: resources.path, waits: false)
        #expect(try supervisor.program.waitForExit() == 13)
        #expect(
            try manager.next("STATUS=boot failed").first?.hasPrefix("STATUS=boot failed in js/core-load.js: ") == true)
    }

    @Test func theWatchdogIsFedByBothPlanes() throws {
        let manager = try NotifySocket(try folder.get().path + "/notify")
        let probe = try CoreProbe()
        let supervisor = try supervisor(manager, resources: probe.path, variables: ["WATCHDOG_USEC": "400000"])
        let began = ContinuousClock.now
        for _ in 0..<5 { #expect(try manager.next("WATCHDOG=1", within: .seconds(5)) == ["WATCHDOG=1"]) }
        let took = ContinuousClock.now - began
        #expect(took >= .milliseconds(750) && took < .seconds(4), "five times in \(took)")
        // The supervision plane goes on; a core that gives no turn is no sign of life.
        let spin = Background { try supervisor.call(CoreProbe.domain, "probe", "spin", [3000]) }
        try wait(for: "silence", within: .seconds(10)) { (try? manager.next("WATCHDOG=1", within: .seconds(1))) == nil }
        #expect(!spin.isDone)
        #expect(try supervisor.corehost("status").code == 0)
        _ = try spin.value()
        try manager.next("WATCHDOG=1", within: .seconds(5))
        #expect(try supervisor.end() == 0)
    }

    @Test func theWatchdogOfAnotherProcessIsNotFed() throws {
        let manager = try NotifySocket(try folder.get().path + "/notify")
        let supervisor = try supervisor(manager, variables: ["WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
        try manager.next("STATUS=logged in, components: 1 running")
        #expect(throws: TestFailure.self) { try manager.next("WATCHDOG=1", within: .seconds(1)) }
        #expect(try supervisor.end() == 0)
    }

    /// Its socket takes no more than the kernel allows to wait; the platform does not care, and nothing that counts is lost.
    @Test func aManagerThatDoesNotListenHoldsNobodyUp() throws {
        let manager = try NotifySocket(try folder.get().path + "/notify")
        let supervisor = try supervisor(manager, variables: ["WATCHDOG_USEC": "20000"])
        try supervisor.line("component ready", about: Self.id)
        for round in 0..<20 {
            #expect(try supervisor.call("fine.test", "Echo", "echo", [JSONValue(round)]) == JSONValue(round))
        }
        usleep(500_000)
        try manager.next("READY=1")
        _ = try supervisor.corehost("stop", Self.id)
        try manager.next("STATUS=logged in, components: none")
        #expect(try supervisor.end() == 0)
        #expect(try manager.drop().contains("STOPPING=1"))
    }

    @Test(arguments: [
        ("/nowhere/notify", "the service manager cannot be told at /nowhere/notify: No such file or directory"),
        ("/" + String(repeating: "x", count: 200), ": Invalid argument"),
    ])
    func aSocketThatIsNotThereIsToldOnce(address: String, reason: String) throws {
        let supervisor = try RunningSupervisor(apps: Self.app, environment: ["NOTIFY_SOCKET": address])
        try supervisor.line("component ready", about: Self.id)
        #expect(try supervisor.end() == 0)
        #expect(supervisor.program.lines.filter { $0.contains(reason) }.count == 1)
    }

    @Test(arguments: ["", "@", "/", "relative", "vsock:2:1234"]) func otherAddressesAreNobody(address: String) throws {
        let supervisor = try RunningSupervisor(apps: Self.app, environment: ["NOTIFY_SOCKET": address])
        #expect(try supervisor.end() == 0)
        #expect(!supervisor.program.lines.contains { $0.contains("service manager") })
    }
}

private func wait(for what: String, within limit: Duration, until isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + limit
    while try !isTrue() {
        if ContinuousClock.now > end { throw TestFailure("no \(what) within \(limit)") }
    }
}
