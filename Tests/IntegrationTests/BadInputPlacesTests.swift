import Control
import Foundation
import TestSupport
import Testing

/// `corehost run` with folders, files and sockets that it cannot use.
@Suite struct BadInputPlacesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "apps/readme")
    }

    private func run(_ options: [String: String] = [:]) throws -> (code: Int32, text: String) {
        let path = folder.path
        var all = [
            "--data": path + "/data", "--socket": path + "/control.sock", "--apps": path + "/apps",
            "--resources": RunningSupervisor.resources,
        ]
        all.merge(options) { $1 }
        let ended = try RunningSupervisor.corehost(["run", "--local"] + all.flatMap { [$0, $1] })
        return (ended.code, ended.lines.joined(separator: "\n"))
    }

    private func nothingIsLeft(_ data: String = "data", _ location: SourceLocation = #_sourceLocation) {
        #expect(access(folder.path + "/\(data)/supervisor.lock", F_OK) != 0, sourceLocation: location)
        #expect(access(folder.path + "/control.sock", F_OK) != 0, sourceLocation: location)
    }

    private func chmod(_ name: String, _ mode: mode_t) { _ = Glibc.chmod(folder.path + "/" + name, mode) }

    /// Permissions bind root only as somebody else.
    private func runAsNobody(_ arguments: [String]) throws -> (code: Int32, text: String) {
        chmod("", 0o755)
        let setpriv = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        let program = RunningProgram.folder + "/corehost"
        let ended =
            try geteuid() == 0
            ? RunningProgram("/usr/bin/setpriv", setpriv + [program] + arguments)
            : RunningProgram(program, arguments)
        return (try ended.waitForExit(), ended.lines.joined(separator: "\n"))
    }

    @Test(arguments: [("none", "No such file or directory"), ("apps/readme", "Not a directory")])
    func anAppsFolderThatIsNone(_ name: String, _ reason: String) throws {
        let path = "\(folder.path)/\(name)"
        let ended = try run(["--apps": path])
        #expect(ended.code == 13)
        #expect(
            ended.text
                == "corehost: the apps folder \(path) cannot be read: \(reason); make it, or name another with --apps")
        nothingIsLeft()
        #expect(access(folder.path + "/data", F_OK) != 0)
    }

    @Test func aFileOfAuthoritiesThatIsNone() throws {
        let missing = "\(folder.path)/none.pem"
        let ended = try run(["--ca-file": missing])
        #expect(ended.code == 13)
        #expect(ended.text.contains("network") && ended.text.contains("authorities' file \(missing) cannot be read"))
        nothingIsLeft()
        let empty = try folder.write("no certificate\n", to: "empty.pem")
        let second = try run(["--ca-file": empty])
        #expect(second.code == 13)
        #expect(second.text.contains("no certificate in the authorities' file \(empty); name a PEM file"))
        nothingIsLeft()
    }

    @Test func foldersWithoutPermission() throws {
        chmod("apps", 0o000)
        let path = folder.path
        let common = ["run", "--local", "--resources", RunningSupervisor.resources, "--socket", path + "/control.sock"]
        let unreadable = try runAsNobody(common + ["--data", path + "/data", "--apps", path + "/apps"])
        #expect(unreadable.code == 13)
        #expect(unreadable.text.contains("the apps folder \(path)/apps cannot be read: Permission denied; "))
        chmod("apps", 0o755)
        try folder.write("", to: "data/kept")
        chmod("data", 0o555)
        let fixed = try runAsNobody(common + ["--data", path + "/data", "--apps", path + "/apps"])
        #expect(fixed.code == 11)
        #expect(
            fixed.text
                == "corehost: the data folder \(path)/data is not usable: opening supervisor.lock: Permission denied;"
                + " give yourself write permission there, or name another folder with --data")
        #expect(folder.names(in: "data") == ["kept"])
        nothingIsLeft()
        chmod("data", 0o755)
    }

    @Test(arguments: [("apps/readme", "stat"), ("apps/readme/data", "mkdir")])
    func aFileInTheDataFoldersPlace(_ name: String, _ call: String) throws {
        let path = "\(folder.path)/\(name)"
        let ended = try run(["--data": path])
        #expect(ended.code == 11)
        #expect(ended.text.hasPrefix("corehost: the data folder \(path) is not usable: \(call)"))
        #expect(
            ended.text.hasSuffix(
                ": Not a directory; remove what is in the way, or name another folder with --data"))
        nothingIsLeft()
    }

    @Test func aDataFolderInUse() throws {
        let first = try RunningSupervisor(apps: [:], folder: folder)
        let before = try RunningSupervisor.descriptors(of: first.program.pid)
        for _ in 1...3 {
            let ended = try run(["--socket": folder.path + "/other.sock"])
            #expect(ended.code == 10)
            #expect(
                ended.text
                    == "corehost: the data folder \(first.data) is in use by another supervisor (process "
                    + "\(first.program.pid)); stop that one with `corehost shutdown --data \(first.data)`, or name "
                    + "another folder with --data")
        }
        // The lock outlives its file.
        #expect(unlink(first.data + "/supervisor.lock") == 0)
        #expect(try run(["--socket": folder.path + "/other.sock"]).code == 10)
        #expect(folder.names().contains("other.sock") == false)
        #expect(try RunningSupervisor.descriptors(of: first.program.pid) == before)
        #expect(try first.corehost("status").code == 0)
        #expect(try first.end() == 0)
    }

    @Test func configurationsThatAreRefused() throws {
        let cases: [(String, String)] = [
            (
                "{\"components\": {\"*\": {\"restart\": \"often\"}}}",
                ":1:34: components.\"*\".restart: is \"often\"; allowed: \"permanent\", \"transient\", \"temporary\""
            ),
            (
                "{\n  \"components\": {,}\n}",
                ":2:18: not JSON with comments: \",\" where a key in quotes or \"}\" was expected"
            ),
        ]
        for (text, message) in cases {
            let file = try folder.write(text, to: "corehost.jsonc")
            let ended = try run(["--config": file])
            #expect(ended.code == 12)
            #expect(ended.text == "corehost: \(file)\(message)")
            nothingIsLeft()
        }
        let missing = try run(["--config": folder.path + "/none.jsonc"])
        #expect(missing.code == 12)
        #expect(
            missing.text
                == "corehost: \(folder.path)/none.jsonc: no such file; make it, or leave the option out to run with the "
                + "defaults")
    }

    @Test func socketPathsThatCannotBe() throws {
        let long = folder.path + "/" + String(repeating: "s", count: 120)
        var ended = try run(["--socket": long])
        #expect(ended.code == 13)
        #expect(
            ended.text
                == "corehost: the path of the control socket has \(long.utf8.count) bytes, 107 are allowed: \(long); "
                + "give a shorter one with --socket")
        nothingIsLeft()
        ended = try run(["--socket": folder.path + "/apps/readme"])
        #expect(ended.code == 13)
        #expect(
            ended.text
                == "corehost: \(folder.path)/apps/readme is not a socket; remove it or give another path with --socket")
        #expect(folder.names(in: "apps") == ["readme"])
        nothingIsLeft()
        ended = try run(["--socket": folder.path + "/none/none/s"])
        #expect(ended.code == 13)
        #expect(
            ended.text
                == "corehost: cannot listen at \(folder.path)/none/none/s: mkdir \(folder.path)/none/none: No such file "
                + "or directory; give another path with --socket")
        nothingIsLeft()
        let client = try RunningSupervisor.corehost(["ps", "--socket", long])
        #expect(client.code == 2 && client.lines.first?.contains("107 are allowed") == true)
    }

    @Test func aStaleSocketIsReplacedAndALiveOneIsNot() throws {
        let first = try RunningSupervisor(apps: [:], folder: folder)
        let other = try run(["--data": folder.path + "/other"])
        #expect(other.code == 13)
        #expect(
            other.text
                == "corehost: another supervisor listens at \(first.socket); stop it with `corehost shutdown --socket "
                + "\(first.socket)`")
        #expect(access(folder.path + "/other/supervisor.lock", F_OK) != 0)
        #expect(try first.corehost("status").code == 0)
        first.program.signal(SIGKILL)
        #expect(try first.program.waitForExit() == -SIGKILL)
        #expect(access(first.socket, F_OK) == 0)
        #expect(try first.corehost("ps").code == 4)
        let second = try RunningSupervisor(apps: [:], folder: folder)
        #expect(try second.corehost("ps").code == 0)
        #expect(try second.end() == 0)
    }

    @Test func anIncompleteInstallation() throws {
        let empty = try run(["--resources": folder.path + "/apps"])
        #expect(empty.code == 13)
        #expect(
            empty.text
                == "corehost: no resources (js/core-load.js) in \(folder.path)/apps; name their folder with --resources"
        )
        let copy = try InstalledCopy(in: folder)
        unlink(copy.component)
        let program = try RunningProgram(
            copy.corehost,
            ["run", "--local", "--data", folder.path + "/data", "--resources", RunningSupervisor.resources])
        #expect(try program.waitForExit() == 13)
        #expect(
            program.lines.first
                == "corehost: no program corehost-component at \(folder.path)/bin/corehost-component, nor at "
                + "\(folder.path)/bin/../libexec/corehost/corehost-component; install or build the programs together")
        nothingIsLeft()
        let supervisor = copy.corehost + "-supervisor"
        unlink(supervisor)
        for command in [["run", "--local"], ["version"], ["core", "check", folder.path]] {
            let program = try RunningProgram(copy.corehost, command)
            #expect(try program.waitForExit() == 13)
            #expect(
                program.lines.first?.hasPrefix("corehost: no program corehost-supervisor at \(supervisor), nor") == true
            )
        }
        try folder.write("no program", to: "bin/corehost-supervisor")
        _ = Glibc.chmod(supervisor, 0o755)
        let broken = try RunningProgram(copy.corehost, ["version"])
        #expect(try broken.waitForExit() == 13)
        #expect(
            broken.lines == [
                "corehost: \(supervisor): Exec format error; install or build the programs together"
            ])
    }

    @Test func aBrokenCoreBundle() throws {
        let resources = try ChangedResources.copy(
            to: folder, ["core/embedded/core.js": ("class Core {", "class Core {{")])
        let ended = try run(["--resources": resources])
        #expect(ended.code == 15)
        #expect(ended.text.contains("core/embedded/core.js"))
        nothingIsLeft()
    }
}
