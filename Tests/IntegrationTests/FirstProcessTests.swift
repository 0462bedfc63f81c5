import Control
import Foundation
import TestSupport
import Testing

/// The supervisor as the first process of a container: of a pid namespace that `unshare` makes.
@Suite struct FirstProcessTests {
    private static let app = SmallApps.app("fine.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])

    /// `corehost` in a namespace of its own; the test's program is `unshare`.
    private static let container: TestSupport.TemporaryFolder? = {
        guard let folder = try? TestSupport.TemporaryFolder() else { return nil }
        let text = """
            #!/bin/sh
            PATH=/usr/sbin:/usr/bin:/sbin:/bin
            exec unshare -rpf --mount-proc --kill-child "\(RunningProgram.folder)/corehost" "$@"
            """
        guard let program = try? folder.write(text, to: "contained"), chmod(program, 0o755) == 0,
            let check = try? RunningProgram(program, ["version"]), (try? check.waitForExit()) == 0
        else { return nil }
        return folder
    }()

    private func contained() throws -> (supervisor: RunningSupervisor, first: Int32, main: Int32) {
        let program = try #require(Self.container).path + "/contained"
        let supervisor = try RunningSupervisor(
            apps: Self.app, options: ["--allow-root-components"], program: program)
        let first = try #require(try RunningSupervisor.children(of: supervisor.program.pid).first)
        let main = try #require(try RunningSupervisor.children(of: first).first)
        try supervisor.line("component ready", about: "fine.test/e.mjs")
        return (supervisor, first, main)
    }

    private static func state(of pid: Int32) -> Character? {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return text.lastIndex(of: ")").flatMap { text[$0...].dropFirst(2).first }
    }

    @Test(.enabled(if: container != nil, "no pid namespace can be made here"), arguments: [SIGTERM, SIGINT])
    func signalsArePassedOnAndTheExitCodeIsTheSupervisors(signal: Int32) throws {
        let (supervisor, first, main) = try contained()
        #expect(try supervisor.call("fine.test", "Echo", "echo", [1]) == 1)
        let children = try RunningSupervisor.children(of: main)
        kill(first, signal)
        #expect(try supervisor.program.waitForExit() == 0)
        try supervisor.checkNothingIsLeft(children + [main])
    }

    @Test(.enabled(if: container != nil, "no pid namespace can be made here"))
    func strangersAreReaped() throws {
        let (supervisor, first, _) = try contained()
        // Processes that somebody brings into the container and leaves there.
        let stray = try RunningProgram(
            "/usr/bin/nsenter",
            [
                "-t", "\(first)", "-U", "-p", "-m", "--preserve-credentials", "/bin/sh", "-c",
                "for i in 1 2 3 4 5; do (exec sleep 0.$i) & done; exec /bin/sh -c 'kill -9 $$'",
            ])
        _ = try stray.waitForExit()
        try supervisor.wait(for: "the first process to have one child") {
            try RunningSupervisor.children(of: first).count == 1
        }
        #expect(try supervisor.call("fine.test", "Echo", "echo", [1]) == 1)
        kill(first, SIGTERM)
        #expect(try supervisor.program.waitForExit() == 0)
    }

    @Test(.enabled(if: container != nil, "no pid namespace can be made here"))
    func aSupervisorThatIsKilledEndsTheContainer() throws {
        let (supervisor, first, main) = try contained()
        let children = try RunningSupervisor.children(of: main).map { try PidDescriptor($0) }
        #expect(Self.state(of: first) == "S")
        kill(main, SIGKILL)
        #expect(try supervisor.program.waitForExit() == 137)
        #expect(children.allSatisfy { $0.waitForExit(within: .seconds(1)) })
    }
}
