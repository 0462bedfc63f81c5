import Control
import Foundation
import Glibc
import TestSupport
import Testing

/// A wall clock that jumps by a day, forth and back, twenty times a second.
@Suite struct ClockStepTests {
    private static let id = "clock.test/a.mjs"

    @Test func noTimerIsEarlyOrLateAndNobodyIsBlamed() throws {
        let code = "w3nRPC.serve('Clock', { spin: async () => { for (;;); }, nothing: async () => 'nothing' });"
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("clock.test", ["a.mjs": code], services: ["a.mjs": ["Clock"]]),
            configuration: #"""
                {"core": {"heartbeat": {"interval": "100ms", "soft": "10s", "hard": "20s"}},
                 "components": {"*": {"stopGrace": "700ms", "heartbeat": {"interval": "100ms", "soft": "10s", "hard": "20s"},
                    "backoff": {"first": "600ms", "factor": 1, "max": "600ms", "jitter": 0}}}}
                """#, environment: ["LD_PRELOAD": "\(RunningProgram.folder)/libclock-step.so"])
        var from = try supervisor.line("component ready", about: Self.id).number
        let clock = ContinuousClock()
        for _ in 0..<3 {
            #expect(try supervisor.call("clock.test", "Clock", "nothing") == "nothing")
            let killed = clock.now
            kill(try supervisor.pid(Self.id), SIGKILL)
            from = try supervisor.line("component ready", about: Self.id, from: from + 1).number
            let took = clock.now - killed
            #expect(took >= .milliseconds(600) && took < .seconds(10), "\(took)")
        }
        let spin = Background { _ = try? supervisor.call("clock.test", "Clock", "spin") }
        usleep(300_000)  // by then it spins; if not, the stop below is quicker, and fails
        let stopped = clock.now
        _ = try supervisor.ask(.stop(id: Self.id))
        let took = clock.now - stopped
        #expect(took >= .milliseconds(700) && took < .seconds(10), "\(took)")
        try spin.value()
        let ending = clock.now
        #expect(try supervisor.end() == 0)
        #expect(clock.now - ending < .seconds(10))
        let lines = supervisor.program.lines
        #expect(!lines.contains { $0.contains("gives no turn") || $0.contains("without giving a turn") })
        // It did jump.
        #expect(Set(lines.compactMap { $0.hasPrefix("2") ? $0.prefix(10) : nil }).count >= 2)
    }
}
