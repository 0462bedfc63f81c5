import CSystem
import Glibc
import TestSupport
import Testing
import Wire

@Suite struct ComponentEndTests {
    @Test func closeSelfAtOnceIsANormalEnd() throws {
        let component = try ComponentFixture(code: "w3n.closeSelf()")
        let exit = try component.waitForExit()
        #expect(exit == .code(.closed))
        #expect(component.reports.contains(.closing))
        #expect(component.failure == nil)
        #expect(component.frames.last?.kind == .bye)
    }

    @Test func sixtyFourMebibytesArriveBeforeBye() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: """
                for (let i = 0; i < 64; i++) { send(new Uint8Array(1 << 20).fill(i)); }
                port('ipc_disconnectFromCore');
                try { send(new Uint8Array(1)); } catch (err) { console.log(err.type, err.ipcNotConnected); }
                throw new Error('after the end nobody minds');
                """, resources: resources.folder)
        #expect(try component.waitForExit() == .code(.closed))
        #expect(component.frames.count == 65)
        #expect(component.frames.last?.kind == .bye)
        let intact = component.frames.dropLast().enumerated().allSatisfy { index, frame in
            frame.kind == .envelope && frame.body == [UInt8](repeating: UInt8(index), count: 1 << 20)
        }
        #expect(intact)
        #expect(component.logLines.first == "ipc true")
    }

    @Test(arguments: ["", "await new Promise(done => setTimeout(done, 20));"])
    func whatWasSentBeforeAnErrorArrives(_ between: String) throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: """
                for (let i = 0; i < 3; i++) { send(new Uint8Array(1 << 20).fill(i)); }
                \(between)
                throw new Error('enough');
                """,
            resources: resources.folder)
        // Far more than the kernel holds is still with the process when it fails.
        component.readsData = false
        try component.wait(for: "the failure") { $0.failure != nil }
        component.readsData = true
        #expect(
            try component.waitForExit() == .code(between.isEmpty ? .uncaughtError : .unhandledRejection))
        #expect(component.frames.map(\.body) == (0..<3).map { [UInt8](repeating: $0, count: 1 << 20) })
        #expect(component.partialFrame == nil)
    }

    @Test func stopWhileSendingDeliversWhatWasSent() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: """
                let sent = 0;
                const timer = setInterval(() => {
                    try {
                        for (let i = 0; i < 100; i++) { send(new Uint8Array(1000)); sent++; }
                    } catch (err) {
                        clearInterval(timer);
                        console.log(`${sent}`);
                    }
                }, 1);
                """, resources: resources.folder)
        component.acknowledgesBye = false
        try component.wait(for: "a thousand frames") { $0.frames.count > 1000 }
        try component.order(.stop)
        try component.wait(for: "the number sent") { !$0.logLines.isEmpty && $0.frames.last?.kind == .bye }
        #expect(component.logLines == ["\(component.frames.count - 1)"])
        try component.send(.byeAcknowledged)
        #expect(try component.waitForExit() == .code(.closed))
    }

    @Test func endsWithoutTheAcknowledgementAfterFiveSeconds() throws {
        let component = try ComponentFixture(code: "w3n.closeSelf()")
        component.acknowledgesBye = false
        try component.wait(for: "bye") { $0.frames.last?.kind == .bye }
        let clock = ContinuousClock()
        let before = clock.now
        #expect(try component.waitForExit() == .code(.closed))
        #expect(clock.now - before > .seconds(4))
    }

    @Test func theEndOfTheControlPipeIsTheSupervisors() throws {
        let component = try ComponentFixture(code: "setInterval(() => {}, 1)")
        try component.waitForReady()
        component.closeControl()
        #expect(try component.waitForExit(seconds: 5) == .code(.parentGone))
    }

    @Test func theEndOfTheDataPipeWaitsForTheSupervisorsWord() throws {
        let stopped = try ComponentFixture(code: "")
        try stopped.waitForReady()
        stopped.closeData()
        try stopped.order(.stop)
        #expect(try stopped.waitForExit() == .code(.closed))
        let forgotten = try ComponentFixture(code: "")
        try forgotten.waitForReady()
        forgotten.closeData()
        #expect(try forgotten.waitForExit(seconds: 10) == .code(.parentGone))
    }

    @Test func callsUnderWayAreRejectedWhenTheCoreIsGone() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: """
                port('ipc_listCoreObjPath', ['slow']).catch(err => console.log(err.type, err.ipcNotConnected));
                port('ipc_listCoreObjPath', ['never handled']);
                """, resources: resources.folder)
        component.readsData = false
        try component.waitForReady()
        component.closeData()
        try component.wait(for: "the rejection") { $0.logLines.contains("ipc true") }
        try component.order(.stop)
        #expect(try component.waitForExit() == .code(.closed))
    }

    @Test func aLoopDiesWithItsSupervisor() throws {
        let component = try ComponentFixture(
            launcher: "/bin/sh",
            arguments: ["-c", "\"$0\" $$ \(ComponentFixture.generation) & wait", try ComponentFixture.program()])
        try component.boot(code: Array("console.log('looping'); for (;;);".utf8))
        try component.wait(for: "its line") { $0.logLines == ["looping"] }
        guard case .hello(_, _, let pid)? = component.reports.first else {
            Issue.record("no hello")
            return
        }
        let pidfd = chs_pidfd_open(pid_t(pid))
        defer { close(pidfd) }
        component.signal(SIGKILL)
        var ended = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ended, 1, 10_000) == 1)
    }

    @Test func aKillInTheMiddleOfAFrameLeavesAPartialFrameOnly() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: "send(new Uint8Array([1])); send(new Uint8Array(32 << 20))", resources: resources.folder)
        // Nothing is read from here to the kill, and the kernel holds far less than the second frame.
        try component.wait(for: "the first frame") { $0.frames.count == 1 }
        component.signal(SIGKILL)
        #expect(try component.waitForExit() == .signal(SIGKILL))
        #expect(component.frames.map(\.body) == [[1]])
        #expect(component.partialFrame?.header?.length == 32 << 20)
    }
}
