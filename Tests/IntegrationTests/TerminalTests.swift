import Control
import Foundation
import TestSupport
import Testing

@Suite struct TerminalTests {
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
