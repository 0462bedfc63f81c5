import Control
import Foundation
import TestSupport
import Testing

private let id = "keep.test/a.mjs"

/// A file system of 1 MiB in memory; only root can have one.
struct SmallDisk {
    let path: String

    init?(_ path: String, _ options: String = "size=1m") {
        self.path = path
        mkdir(path, 0o700)
        guard Self.run("/usr/bin/mount", ["-t", "tmpfs", "-o", options, "none", path]) else { return nil }
    }

    func remove() { _ = Self.run("/usr/bin/umount", ["-l", path]) }

    static let canBeMade: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        guard let disk = SmallDisk(folder.path + "/disk") else { return false }
        disk.remove()
        return true
    }()

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        guard access(program, X_OK) == 0, let process = try? RunningProgram(program, arguments) else { return false }
        return (try? process.waitForExit()) == 0
    }

    /// Takes all the room that is left.
    func fill() throws {
        let file = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(file, bytes, bytes.count) > 0 {}
        guard errno == ENOSPC else { throw TestFailure("filling \(path): errno \(errno)") }
    }

    func free() { unlink(path + "/filler") }
}

@Suite struct BadInputDiskTests {
    @Test(.enabled(if: SmallDisk.canBeMade, "a tmpfs can be mounted by root only"))
    func aFullDiskIsAnExceptionForAppsAndNoEndForAnybody() throws {
        let folder = try TemporaryFolder()
        let disk = try #require(SmallDisk(folder.path + "/data"))
        defer { disk.remove() }
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "keep.test",
                [
                    "a.mjs": """
                    const files = w3n.storage.getAppLocalFS();
                    w3nRPC.serve('Keep', {
                        write: async (name, size) => { await (await files).writeBytes(name, new Uint8Array(size)); },
                        size: async name => (await (await files).readBytes(name))?.length ?? 0,
                        say: async text => { console.log(text); },
                    });
                    """
                ], services: ["a.mjs": ["Keep"]]), folder: folder)
        try supervisor.line("component ready", about: id)
        _ = try supervisor.call("keep.test", "Keep", "write", ["old", 1000])
        try disk.fill()
        for _ in 1...3 {
            let error = try #require(throws: ControlError.self) {
                try supervisor.call("keep.test", "Keep", "write", ["old", 100_000])
            }
            let exception = try #require(error.data["exception"])
            #expect(error.exitCode == .callRejected)
            #expect(exception["type"] == "file" && exception["code"] == "ENOSPC", "\(exception)")
        }
        #expect(try supervisor.call("keep.test", "Keep", "size", ["old"]) == 1000)
        for number in 1...100 {
            _ = try supervisor.call(
                "keep.test", "Keep", "say", [.string("line \(number) \(String(repeating: "x", count: 500))")])
        }
        try supervisor.program.line {
            $0.contains("; lines stay in memory until it can be written again: free some space there | path: ")
        }
        let kept = try supervisor.corehost("logs", id, "-n", "1").lines
        #expect(kept.first?.contains("] line 100 x") == true, "\(kept)")
        let full = try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(10))
        #expect(full.logs.failure?.contains("No space left on device") == true && full.logs.lost > 0, "\(full.logs)")
        #expect(try supervisor.row(id).generation == 1)
        disk.free()
        _ = try supervisor.call("keep.test", "Keep", "write", ["old", 100_000])
        #expect(try supervisor.call("keep.test", "Keep", "size", ["old"]) == 100_000)
        _ = try supervisor.call("keep.test", "Keep", "say", ["after"])
        try supervisor.line("log files are written again")
        let again = try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(10))
        #expect(again.logs.failure == nil)
        #expect(folder.names(in: "data/fs/scratch") == [])
        #expect(try supervisor.end() == 0)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "a tmpfs can be mounted by root only"))
    func aDiskThatIsReadOnly() throws {
        let folder = try TemporaryFolder()
        let disk = try #require(SmallDisk(folder.path + "/data", "ro"))
        defer { disk.remove() }
        let ended = try RunningSupervisor.corehost([
            "run", "--local", "--data", disk.path, "--socket", folder.path + "/control.sock", "--resources",
            RunningSupervisor.resources,
        ])
        #expect(ended.code == 11)
        #expect(
            ended.lines == [
                "corehost: the data folder \(disk.path) is not usable: opening supervisor.lock: Read-only file system; "
                    + "mount it writable, or name another folder with --data"
            ])
        #expect(folder.names() == ["data"])
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "a tmpfs can be mounted by root only"))
    func aDiskThatIsFullAtTheStart() throws {
        let folder = try TemporaryFolder()
        let disk = try #require(SmallDisk(folder.path + "/data"))
        defer { disk.remove() }
        try disk.fill()
        let ended = try RunningSupervisor.corehost([
            "run", "--local", "--data", disk.path, "--socket", folder.path + "/control.sock", "--resources",
            RunningSupervisor.resources,
        ])
        #expect(ended.code == 11)
        #expect(
            ended.lines == [
                "corehost: the data folder \(disk.path) is not usable: writing supervisor.lock: No space left on "
                    + "device; free some space there, or name another folder with --data"
            ])
        #expect(folder.names(in: "data") == ["filler"])
        #expect(folder.names() == ["data"])
    }
}
