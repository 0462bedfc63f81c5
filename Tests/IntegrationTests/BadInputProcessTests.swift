import Control
import Foundation
import TestSupport
import Testing

private let id = "echo.test/echo.mjs"

/// Processes that do not start, or end at a bad moment.
@Suite struct BadInputProcessTests {
    private let folder: TemporaryFolder
    private let copy: InstalledCopy

    init() throws {
        folder = try TemporaryFolder()
        copy = try InstalledCopy(in: folder)
    }

    private func start(_ configuration: String = "{}", code: String = SmallApps.echo) throws -> RunningSupervisor {
        try RunningSupervisor(
            apps: SmallApps.app("echo.test", ["echo.mjs": code], services: ["echo.mjs": ["Echo"]]),
            configuration: configuration, folder: folder, program: copy.corehost)
    }

    @Test func aChildKilledBeforeItsHelloIsStartedAgain() throws {
        try copy.replaceComponent(
            byScript: """
                [ -e '\(folder.path)/second' ] && exec "$REAL" "$@"
                : > '\(folder.path)/second'
                kill -9 $$
                """)
        let supervisor = try start(#"{"components": {"*": {"backoff": {"first": "10ms"}}}}"#)
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains(" | cause: signalled | "))
        // Who may read the kernel's log knows that it was not for want of memory.
        #expect(ended.text.contains("how sure: likely") && ended.text.contains("reason: ended by SIGKILL from outside"))
        #expect(ended.text.hasSuffix(", while starting (spawned)"), "\(ended.text)")
        let ready = try supervisor.line("component ready", about: id, from: ended.number)
        #expect(ready.text.contains("generation: 2 | "))
        #expect(try supervisor.call("echo.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test(arguments: [(3, "frame header with check 0x"), (4, "control pipe: ")])
    func aProgramThatSaysSomethingElseThanHello(_ descriptor: Int, _ how: String) throws {
        try copy.replaceComponent(
            byScript: "echo 'not the program' >&2; echo garbage-garbage-garbage >&\(descriptor); exec sleep 60")
        let supervisor = try start(#"{"components": {"*": {"restart": "temporary"}}}"#)
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains(" | cause: protocol-violation | "))
        #expect(ended.text.contains("reason: broke the protocol: \(how)"), "\(ended.text)")
        try supervisor.line("component down", about: id)
        let lines = try supervisor.corehost("logs", id).lines
        #expect(lines.contains { $0.hasSuffix("|g1|output|info] not the program") })
        #expect(try supervisor.end() == 0)
    }

    @Test func aProgramThatSaysNothing() throws {
        try copy.replaceComponent(byScript: "exec sleep 60")
        let supervisor = try start(#"{"components": {"*": {"restart": "temporary", "startTimeout": "200ms"}}}"#)
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains(" | cause: start-timeout | "))
        #expect(
            ended.text.hasSuffix(
                "reason: not ready 200 ms after its process was started, while starting (spawned); it took SIGTERM"))
        #expect(try supervisor.end() == 0)
    }

    @Test func aChildKilledDuringItsStart() throws {
        let supervisor = try start(#"{"components": {"*": {"restart": "temporary"}}}"#, code: "for (;;);")
        let client = try supervisor.client()
        var row = try supervisor.row(id)
        while row.phase != "preloaded" { row = try supervisor.row(id) }
        _ = try client.ask(
            .kill(id: "echo", signal: try KillSignal.parse("SIGKILL").get()), as: ComponentReply.self,
            within: .seconds(10))
        let ended = try supervisor.line("component ended", about: id)
        #expect(ended.text.contains(" | cause: killed | "))
        #expect(ended.text.contains("reason: killed with SIGKILL by the user (process \(getpid()), uid \(getuid()))"))
        #expect(ended.text.hasSuffix(", while starting (preloaded)"))
        #expect(try supervisor.end() == 0)
    }

    @Test func aProgramThatIsMissingOrMayNotRun() throws {
        let supervisor = try start(
            #"{"components": {"*": {"maxRestarts": 2, "backoff": {"first": "10ms", "max": "10ms"}}}}"#)
        try supervisor.line("component ready", about: id)
        // One connection for all: its descriptor is there before and after.
        let client = try supervisor.client()
        _ = try client.ask(.stop(id: id), as: ComponentReply.self, within: .seconds(20))
        // Settled: what is kept of each end is written beside the loop. The zygote goes with its program.
        let before = try supervisor.settledDescriptors() - 1
        var from = 0
        for (reason, errno) in [("No such file or directory", ENOENT), ("Permission denied", EACCES)] {
            unlink(copy.component)
            if errno == EACCES { try folder.write("#!/bin/sh\n", to: "bin/corehost-component") }
            let message = "its process could not be started: \(copy.component): \(reason) (errno \(errno))"
            let refused = try #require(throws: ControlError.self) {
                try client.ask(.start(id: id), as: ComponentReply.self, within: .seconds(20))
            }
            #expect(refused.exitCode == .failed)
            #expect(refused.message == "\(id): \(message); see `corehost inspect \(id)`")
            from = 1 + (try supervisor.line("component quarantined", about: id, from: from).number)
            let inspect = try client.ask(.inspect(id: id), as: InspectReply.self, within: .seconds(20))
            #expect(inspect.lastExit?.cause == "spawn-failed" && inspect.lastExit?.message == message)
            #expect(
                inspect.problems == [
                    "more than 2 restarts within 5 min; last end: \(message); mend it, then `corehost start \(id)`"
                ])
            #expect(try supervisor.settledDescriptors() == before)
            #expect(try RunningSupervisor.children(of: supervisor.program.pid) == [])
        }
        let line = try supervisor.line("component not spawned", about: id)
        #expect(line.text.contains("call: posix_spawn | ") && line.text.contains("program: \(copy.component)"))
        try copy.replaceComponent(byScript: #"exec "$REAL" "$@""#)
        #expect(try supervisor.corehost("start", "echo").lines == ["\(id): running"])
        #expect(try supervisor.end() == 0)
    }

    @Test func stoppedTwiceAndKilledWhileStopping() throws {
        let supervisor = try start(
            #"{"components": {"*": {"stopGrace": "20s"}}}"#, code: "setTimeout(() => { for (;;); }, 0);")
        try supervisor.line("component ready", about: id)
        // Both wait for the same end, which a kill brings long before the grace is over.
        let stops = try (1...2).map { _ in
            try RunningProgram("corehost", ["stop", "echo"], environment: ["COREHOST_SOCKET": supervisor.socket])
        }
        let first = try supervisor.line("audit: stop: asked")
        try supervisor.line("audit: stop: asked", from: first.number + 1)
        let row = try supervisor.row(id)
        #expect(row.state == "closing" && row.wanted == "down")
        let pid = try #require(row.pid)
        #expect(
            try supervisor.corehost("kill", "echo", "--signal", "SIGKILL").lines
                == ["\(id): SIGKILL sent to process \(pid)"])
        for stop in stops {
            #expect(try stop.waitForExit() == 0)
            #expect(stop.lines == ["\(id): down"])
        }
        #expect(try supervisor.inspect(id).lastExit?.cause == "stopped")
        #expect(try supervisor.corehost("stop", "echo").lines == ["\(id): down"])
        let kill = try supervisor.corehost("kill", "echo")
        #expect(kill.code == 6 && kill.lines == ["corehost: \(id) has no process (it is down); nothing to kill"])
        #expect(try supervisor.end() == 0)
    }
}
