import Control
import Foundation
import TestSupport
import Testing

private let id = "fork.test/a.mjs"

/// The process that components are forked from, and what they do without it.
@Suite struct ZygoteTests {
    private func start() throws -> (supervisor: RunningSupervisor, zygote: Int32) {
        let supervisor = try run()
        return (supervisor, try pid(try supervisor.line("zygote ready").text))
    }

    private func run(_ folder: TemporaryFolder? = nil, _ program: String = "corehost") throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("fork.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]]),
            configuration: """
                {"components": {"*": {"maxRestarts": 1000, "period": "1s",
                    "backoff": {"first": "1ms", "factor": 1, "max": "1ms", "jitter": 0}}}}
                """, folder: folder, program: program)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    private func pid(_ line: String) throws -> Int32 {
        let word = line.split(separator: "pid: ").last?.prefix { $0.isNumber }
        return try #require(word.flatMap { Int32($0) }, "\(line)")
    }

    /// Kills the component; gives how its next process came to be.
    private func nextSpawn(_ supervisor: RunningSupervisor) throws -> (way: String, pid: Int32) {
        let old = try supervisor.pid(id)
        let from = supervisor.program.lines.count
        kill(old, SIGKILL)
        let spawned = try supervisor.line("component spawned", about: id, from: from)
        try supervisor.line("component ready", about: id, from: spawned.number)
        #expect(try supervisor.call("fork.test", "Echo", "echo", ["here"]) == "here")
        return (spawned.text.contains("by: zygote") ? "zygote" : "exec", try pid(spawned.text))
    }

    private func checkAllIsWell(_ supervisor: RunningSupervisor) throws {
        let doctor = try supervisor.corehost("doctor")
        #expect(doctor.code == 0, "\(doctor.lines)")
        #expect(try supervisor.end() == 0)
    }

    @Test func whatIsForkedIsAChildLikeAnyOther() throws {
        let (supervisor, zygote) = try start()
        let next = try nextSpawn(supervisor)
        #expect(next.way == "zygote" && next.pid != zygote)
        let stat = try String(contentsOfFile: "/proc/\(next.pid)/stat", encoding: .utf8)
        let fields = stat[stat.lastIndex(of: ")")!...].split(separator: " ")
        #expect(fields[2] == "\(supervisor.program.pid)", "its parent: \(stat)")
        #expect(fields[3] == "\(next.pid)" && fields[4] == "\(next.pid)", "its group and session: \(stat)")
        let shown = try String(contentsOfFile: "/proc/\(next.pid)/cmdline", encoding: .utf8)
        let words = shown.split(separator: "\0")
        #expect(words.first?.hasSuffix("/corehost-component") == true && !shown.contains("--"), "\(words)")
        #expect(words.dropFirst().prefix(2) == ["\(supervisor.program.pid)", "2"], "\(words)")
        // Its end is seen as that of any other.
        _ = try nextSpawn(supervisor)
        #expect(try supervisor.inspect(id).lastExit?.signal == "SIGKILL")
        try checkAllIsWell(supervisor)
    }

    @Test(arguments: [SIGKILL, SIGSTOP])
    func withoutAZygoteComponentsAreSpawnedUntilThereIsAnother(signal: Int32) throws {
        let (supervisor, zygote) = try start()
        let before = supervisor.program.lines.count
        kill(zygote, signal)
        if signal == SIGKILL { try supervisor.line("zygote ended", from: before) }
        #expect(try nextSpawn(supervisor).way == "exec")
        let ended = try supervisor.line("zygote ended", from: before)
        #expect(ended.text.contains("how: SIGKILL"), "\(ended.text)")
        try checkIsForkedAtLast(supervisor)
        #expect(kill(zygote, 0) != 0)
        try checkAllIsWell(supervisor)
    }

    private func checkIsForkedAtLast(_ supervisor: RunningSupervisor) throws {
        var way = ""
        for _ in 0..<200 where way != "zygote" { way = try nextSpawn(supervisor).way }
        #expect(way == "zygote")
    }

    @Test func oneThatIsKilledBeforeItIsReadyIsReplacedToo() throws {
        let (supervisor, first) = try start()
        kill(first, SIGKILL)
        try supervisor.line("zygote ended")
        var next: Int32?
        for _ in 0..<200 where next == nil {
            _ = try nextSpawn(supervisor)
            next = try supervisor.client().ask(.ps, as: PsReply.self, within: .seconds(10)).supervisor?.zygote
                .map(Int32.init)
        }
        kill(try #require(next), SIGKILL)
        try checkIsForkedAtLast(supervisor)
        try checkAllIsWell(supervisor)
    }

    /// The next start sees the program that stands there by then.
    @Test func aZygoteThatIsNeverReadyGoesWithItsProgram() throws {
        let folder = try TemporaryFolder()
        let copy = try InstalledCopy(in: folder)
        try copy.replaceComponent(byScript: #"exec "$REAL" "$@""#, asZygote: "exec sleep 600")
        let supervisor = try run(folder, copy.corehost)
        #expect(try nextSpawn(supervisor).way == "exec")
        try copy.restoreComponent()
        try checkIsForkedAtLast(supervisor)
        try checkAllIsWell(supervisor)
    }

    @Test func aZygoteWithOtherLimitsIsReplaced() throws {
        let (supervisor, zygote) = try start()
        let prlimit = try RunningProgram("/usr/bin/prlimit", ["--pid", "\(zygote)", "--nofile=16:16"])
        #expect(try prlimit.waitForExit() == 0)
        #expect(try nextSpawn(supervisor).way == "exec")
        try checkIsForkedAtLast(supervisor)
        try checkAllIsWell(supervisor)
    }

    /// What is told of a process is so when its pid is known.
    @Test func nobodySeesAForkedProcessThatIsNotYetItsOwn() throws {
        let (supervisor, _) = try start()
        for _ in 0..<40 {
            if let pid = try supervisor.row(id).pid { kill(pid_t(pid), SIGKILL) }
            let differences = try supervisor.client().ask(.doctor, as: DoctorReply.self, within: .seconds(10))
                .differences
            #expect(!differences.contains { "\($0)".contains("of its own") }, "\(differences)")
        }
        try supervisor.wait(for: "the component") { try supervisor.row(id).state == "running" }
        try checkAllIsWell(supervisor)
    }

    /// Whatever it was doing: no start is lost, and no process is left that belongs to nobody.
    @Test func killedAtAnyMomentItLeavesNothing() throws {
        let (supervisor, _) = try start()
        for _ in 0..<30 {
            let ready = try supervisor.program.lines.last { $0.contains("] zygote ready") }.map(pid) ?? 0
            DispatchQueue.global().async { kill(ready, SIGKILL) }
            _ = try nextSpawn(supervisor)
        }
        try checkAllIsWell(supervisor)
    }
}
