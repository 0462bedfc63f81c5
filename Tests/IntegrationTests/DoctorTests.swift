import Control
import Foundation
import TestSupport
import Testing

private let id = "look.test/a.mjs"

/// `corehost doctor` against differences that are really there.
@Suite struct DoctorTests {
    private static let apps = SmallApps.app("look.test", ["a.mjs": "let nothing;"])

    private func start() throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(apps: Self.apps)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    private func differences(_ supervisor: RunningSupervisor) throws -> [DoctorReply.Difference] {
        try supervisor.client().ask(.doctor, as: DoctorReply.self, within: .seconds(10)).differences
    }

    @Test func findsNothingWhereAllIsWell() throws {
        let supervisor = try start()
        for _ in 1...3 {
            #expect(try supervisor.corehost("restart", id).code == 0)
            let doctor = try supervisor.corehost("doctor")
            #expect(doctor.code == 0, "\(doctor.lines)")
            #expect(doctor.lines.allSatisfy { $0.hasPrefix("ok ") })
        }
        let names = try supervisor.client().ask(.doctor, as: DoctorReply.self, within: .seconds(10)).checks.map(\.name)
        #expect(
            names == ["processes", "descriptors", "socket", "lock", "modes", "timers", "threads", "logs"])
        #expect(try supervisor.end() == 0)
    }

    @Test func aStrayChildIsNamed() throws {
        let programs = try TemporaryFolder()
        // The shell becomes the supervisor, and its child that one's.
        let script = try programs.write(
            "#!/bin/sh\nsleep 600 &\nexec \(RunningProgram.folder)/corehost \"$@\"\n", to: "with-a-child")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let supervisor = try RunningSupervisor(apps: Self.apps, program: script)
        try supervisor.line("component ready", about: id)
        let found = try differences(supervisor)
        #expect(found.count == 1)
        #expect(found.first?.found == "sleep is a child and belongs to no component")
        let pid = try #require(found.first?.subject.split(separator: " ").last.flatMap { Int32($0) })
        let doctor = try supervisor.corehost("doctor")
        #expect(doctor.code == 8)
        #expect(doctor.lines.contains { $0.hasSuffix("else `kill \(pid)`") })
        kill(pid, SIGKILL)
        // Its end is nobody's news here: the shell's child was never this supervisor's to wait for.
        let left = try differences(supervisor)
        #expect(left.allSatisfy { $0.subject == "process \(pid)" })
        supervisor.program.signal(SIGTERM)
        #expect(try supervisor.program.waitForExit() == 0)
    }

    @Test func aSocketThatIsRemovedIsMadeAgain() throws {
        let supervisor = try start()
        let old = try supervisor.client()
        unlink(supervisor.socket)
        try supervisor.line("the control socket was gone and is made anew")
        #expect(try supervisor.corehost("ps").code == 0)
        #expect(try old.ask(.doctor, as: DoctorReply.self, within: .seconds(10)).ok)
        var status = stat()
        #expect(lstat(supervisor.socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
        // Again, and by another's hand: what stands there is not taken away.
        let line = try supervisor.line("the control socket was gone").number
        rename(supervisor.socket, supervisor.socket + ".moved")
        try supervisor.line("the control socket was gone and is made anew", from: line + 1)
        #expect(try supervisor.corehost("ps").code == 0)
        unlink(supervisor.socket + ".moved")
        chmod(supervisor.socket, 0o666)
        #expect(try differences(supervisor).map(\.found) == ["its mode is 666, not 600"])
        chmod(supervisor.socket, 0o600)
        #expect(try supervisor.end() == 0)
    }

    @Test func aSocketFolderThatIsMovedAwayIsMadeAgain() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path + "/run", 0o700)
        let socket = folder.path + "/run/own.sock"
        let program = try RunningProgram(
            "corehost",
            [
                "run", "--local", "--data", folder.path + "/data", "--socket", socket, "--resources",
                RunningSupervisor.resources,
            ])
        try program.line { $0.contains("platform running") }
        rename(folder.path + "/run", folder.path + "/away")
        try program.line { $0.contains("the control socket was gone and is made anew") }
        #expect(try RunningSupervisor.corehost(["status", "--socket", socket]).code == 0)
        program.signal(SIGTERM)
        #expect(try program.waitForExit() == 0)
    }

    @Test func aLockThatIsReplacedAndFoldersThatAreOpenAreNamed() throws {
        let supervisor = try start()
        let lock = supervisor.data + "/supervisor.lock"
        unlink(lock)
        #expect(try differences(supervisor).map(\.found) == ["it is gone: No such file or directory"])
        close(open(lock, O_CREAT | O_WRONLY, 0o600))
        #expect(try differences(supervisor).map(\.found) == ["another file has taken its place"])
        mkdir(supervisor.data + "/keys", 0o700)
        chmod(supervisor.data + "/keys", 0o755)
        chmod(supervisor.data + "/logs", 0o777)
        let found = try differences(supervisor).filter { $0.check == "modes" }
        #expect(found.map(\.found) == ["its mode is 777", "its mode is 755"])
        #expect(found.first?.advice == "chown \(geteuid()) \(supervisor.data)/logs; chmod go-w \(supervisor.data)/logs")
        supervisor.program.signal(SIGTERM)
        #expect(try supervisor.program.waitForExit() == 0)
    }
}
