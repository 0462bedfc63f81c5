import Control
import Foundation
import TestSupport
import Testing

@Suite struct TerminalTests {
    /// As a shell's `<&-` starts it: descriptor 0 is closed, and would be the next file's.
    @Test func withoutStandardInputItRunsAndEndsAsAlways() throws {
        let programs = try TemporaryFolder()
        let script = try programs.write(
            "#!/bin/sh\nexec \(RunningProgram.folder)/corehost \"$@\" <&-\n", to: "without-input")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("quiet.test", ["q.mjs": SmallApps.echo], services: ["q.mjs": ["Echo"]]), program: script
        )
        try supervisor.line("component ready", about: "quiet.test/q.mjs")
        let child = try #require(try supervisor.row("quiet.test/q.mjs").pid)
        for pid in [Int(supervisor.program.pid), child] {
            let input = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/0")
            #expect(input == "/dev/null", "process \(pid)")
        }
        #expect(try supervisor.call("quiet.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.corehost("restart", "quiet.test").code == 0)
        #expect(try supervisor.corehost("doctor").code == 0)
        let shutdown = try supervisor.corehost("shutdown")
        #expect(shutdown.code == 0, "\(shutdown)")
        #expect(try supervisor.program.waitForExit() == 0)
        try supervisor.checkNothingIsLeft([Int32(child)])
    }

    @Test func aReaderOfTheOutputThatStandsStillHoldsUpNeitherThePlatformNorItsEnd() throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("loud.test", ["loud.mjs": "console.log('loud');"]))
        try supervisor.line("component ready", about: "loud.test/loud.mjs")
        supervisor.program.pauseReading()
        // Each is three lines: together more than a pipe holds, and more than wait for it.
        for _ in 0..<500 {
            _ = try supervisor.client().ask(.stop(id: "loud.test"), as: ComponentReply.self, within: .seconds(20))
        }
        #expect(try supervisor.row("loud.test/loud.mjs").state == "down")
        supervisor.program.signal(SIGTERM)
        #expect(try supervisor.program.waitForExit() == 0)
    }
}
