import Control
import Foundation
import TestSupport
import Testing
import Wire

private let id = "plain.test/e.mjs"

/// The sandbox of a platform that is not root's: what most users have, and no other test does where tests run as root.
@Suite(.enabled(if: OrdinaryUser.nobody != nil)) struct OrdinaryUserTests {
    private let user: OrdinaryUser
    private let folder: TemporaryFolder
    private let copy: InstalledCopy
    private let apps = SmallApps.app("plain.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])

    init() throws {
        user = try #require(OrdinaryUser.nobody)
        folder = try TemporaryFolder()
        // The checkout may be in a folder that is closed to others.
        copy = try InstalledCopy(in: folder)
        try user.own(folder)
    }

    private func status(_ pid: Int, _ key: String) throws -> [Substring] {
        let text = try String(contentsOf: URL(filePath: "/proc/\(pid)/status"), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(key):") })
        return line.split(whereSeparator: \.isWhitespace).dropFirst().map { $0 }
    }

    @Test func theWallsAreThoseOfRootButForTheUser() throws {
        let resources = try ChangedResources.copy(to: folder, [:])
        let supervisor = try RunningSupervisor(
            apps: apps, resources: resources, folder: folder, program: user.script(for: copy.corehost, in: folder))
        try supervisor.line("component ready", about: id)
        let mine = try #require(try supervisor.inspect(id).sandbox)
        let ids = Array(repeating: "\(user.id)"[...], count: 4)
        #expect(try status(Int(supervisor.program.pid), "Uid") == ids)
        let pid = try #require(try supervisor.row(id).pid)
        #expect(try status(pid, "Uid") == ids && status(pid, "Groups") == [])
        #expect(try status(pid, "NoNewPrivs") == ["1"] && status(pid, "CapEff") == ["0000000000000000"])
        #expect(mine.kernel?.uid == Int(user.id) && mine.kernel?.noNewPrivileges == true)
        #expect(try (status(pid, "Seccomp") == ["2"]) == mine.walls.contains("system-calls"))
        #expect(try supervisor.call("plain.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.corehost("doctor").code == 0)
        #expect(try supervisor.end() == 0)

        let roots = try RunningSupervisor(apps: apps)
        try roots.line("component ready", about: id)
        let theirs = try #require(try roots.inspect(id).sandbox)
        #expect(Set(mine.walls) == Set(theirs.walls).subtracting(["component-user"]))
        #expect(mine.missing == theirs.missing.filter { !$0.hasPrefix("component-user: ") })
        #expect(try roots.end() == 0)
    }

    @Test func itCannotGiveComponentsAnotherUser() throws {
        let run = try RunningProgram(
            user.script(for: copy.corehost, in: folder),
            [
                "run", "--local", "--data", folder.path + "/data", "--resources",
                try ChangedResources.copy(to: folder, [:]),
                "--component-user", "daemon",
            ])
        #expect(try run.waitForExit() == 13)
        #expect(run.lines.contains { $0.contains("only root can give components another user") }, "\(run.lines)")
    }

    @Test(arguments: [
        ("EACCES", "openat -100 s:/etc/passwd 0", SandboxWall.files), ("EPERM", "kill ppid 0", .scopes),
        ("EACCES", "socket 2 1 0 -- connect 5 b:02001f917f0000010000000000000000 16", .network),
        ("EACCES", "mmap 0 4096 7 0x22 -1 0", .noExecutableGain), ("EPERM", "setuid 0", .noNewPrivileges),
    ])
    func eachWallStands(error: String, call: String, wall: SandboxWall) throws {
        let program = folder.path + "/bin/sandbox-probe"
        try FileManager.default.copyItem(atPath: "\(RunningProgram.folder)/sandbox-probe", toPath: program)
        let probe = try SandboxProbe("--walls-without-filter \(call)", program: user.command(program))
        guard probe.lines.first?.split(separator: " ").contains(Substring(wall.name)) == true else {
            // This kernel does not have it, which the other test compares.
            return
        }
        #expect(probe.exit == .code(0) && probe.lines.last == error, "\(probe.lines)")
    }

    @Test func aCallThatIsNotAllowedEndsTheProcess() throws {
        let program = folder.path + "/bin/sandbox-probe"
        try FileManager.default.copyItem(atPath: "\(RunningProgram.folder)/sandbox-probe", toPath: program)
        let probe = try SandboxProbe("socket 2 1 0", program: user.command(program))
        #expect(
            probe.exit == .code(.sandboxDenial) && probe.refused == "socket" && probe.lines == [], "\(probe)")
    }
}
