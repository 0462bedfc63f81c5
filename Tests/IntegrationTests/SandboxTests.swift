import CProbe
import CSystem
import Control
import Glibc
import SandboxPolicy
import TestSupport
import Testing
import Wire

private let id = "echo.test/echo.mjs"

/// The sandbox as a user meets it: what `run` takes, what `status` and `inspect` tell, what a verdict says.
@Suite struct SandboxTests {
    private func start(_ options: [String] = []) throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("echo.test", ["echo.mjs": SmallApps.echo], services: ["echo.mjs": ["Echo"]]),
            configuration: #"{"components": {"*": {"backoff": {"first": "10ms"}}}}"#, options: options)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    private func sandbox(of supervisor: RunningSupervisor) throws -> SandboxShape {
        try #require(try supervisor.inspect(id).sandbox)
    }

    private func status(of supervisor: RunningSupervisor) throws -> String? {
        try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(10)).sandbox
    }

    @Test func isOnByDefaultAndToldAsItIs() throws {
        let supervisor = try start()
        let sandbox = try sandbox(of: supervisor)
        #expect(sandbox.kernel?.noNewPrivileges == true)
        #expect(sandbox.walls.count + sandbox.missing.count >= SandboxWall.allCases.count - (geteuid() == 0 ? 0 : 1))
        #expect(sandbox.state == (sandbox.missing.isEmpty ? "on" : "degraded"))
        #expect(sandbox.kernel?.filter == sandbox.walls.contains("system-calls"))
        #expect(try status(of: supervisor)?.hasPrefix(sandbox.state) == true)
        // Loud only where something is missing.
        #expect(supervisor.program.lines.contains { $0.contains("degraded") } == !sandbox.missing.isEmpty)
        if geteuid() == 0 { #expect(sandbox.kernel?.uid == getpwnam("nobody").map { Int($0.pointee.pw_uid) }) }
        let shown = try supervisor.corehost("inspect", id).lines.joined(separator: "\n")
        #expect(shown.contains("landlock-files") || shown.contains("degraded"), "\(shown)")
        #expect(try supervisor.end() == 0)
    }

    @Test func withoutItEverythingSaysSo() throws {
        let supervisor = try start(["--no-sandbox"])
        #expect(supervisor.program.lines.contains { $0.contains("NO SANDBOX") })
        #expect(try sandbox(of: supervisor) == SandboxShape(state: "off"))
        #expect(try status(of: supervisor)?.hasPrefix("off") == true)
        #expect(try supervisor.end() == 0)
    }

    @Test(.enabled(if: geteuid() == 0)) func rootChoosesTheUserOfComponents() throws {
        let supervisor = try start(["--component-user", "daemon"])
        let sandbox = try sandbox(of: supervisor)
        #expect(sandbox.kernel?.uid == getpwnam("daemon").map { Int($0.pointee.pw_uid) })
        #expect(sandbox.walls.contains("component-user"))
        #expect(try supervisor.end() == 0)
    }

    @Test(.enabled(if: geteuid() == 0)) func rootComponentsAreDegraded() throws {
        let supervisor = try start(["--allow-root-components"])
        let sandbox = try sandbox(of: supervisor)
        #expect(sandbox.kernel?.uid == 0 && sandbox.state == "degraded")
        #expect(sandbox.missing.contains { $0.hasPrefix("component-user: it runs as root") })
        #expect(try status(of: supervisor)?.contains("--allow-root-components") == true)
        #expect(try supervisor.call("echo.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    /// Root of a user namespace that has no other user, as in some containers.
    @Test func rootOfANarrowNamespaceIsDegraded() throws {
        guard let namespace = try NetworkNamespace() else { return }
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("echo.test", ["echo.mjs": SmallApps.echo], services: ["echo.mjs": ["Echo"]]),
            program: namespace.program)
        try supervisor.line("component ready", about: id)
        #expect(try sandbox(of: supervisor).missing.contains { $0.hasPrefix("component-user: ") })
        #expect(try status(of: supervisor)?.contains("user namespace has no user nobody") == true)
        #expect(supervisor.program.lines.contains { $0.contains("degraded") })
        #expect(try supervisor.end() == 0)
    }

    @Test(
        arguments: [
            (["--component-user", "no-such-user"], 13, geteuid() == 0 ? "no such user" : "only root"),
            (["--component-user", "root"], 13, geteuid() == 0 ? "do not run as root" : "only root"),
            (["--no-sandbox", "--component-user", "daemon"], 2, "leave out"),
        ] as [([String], Int32, String)])
    func whatCannotBeIsRefused(options: [String], code: Int32, words: String) throws {
        let folder = try TemporaryFolder()
        let run = try RunningSupervisor.corehost(
            ["run", "--local", "--data", folder.path, "--resources", RunningSupervisor.resources] + options)
        #expect(run.code == code && run.lines.joined().contains(words), "\(run)")
    }

    @Test(arguments: ["the order's filter of 3 bytes", "seccomp(SECCOMP_SET_MODE_FILTER)"])
    func aWallThatDoesNotGoUpEndsTheProcess(what: String) throws {
        // A comparison with a process's id, and no end behind it.
        let unended: [UInt8] = [0x15, 0, 0, 0] + withUnsafeBytes(of: SandboxOrder.anyProcess) { Array($0) }
        let component = try ComponentFixture()
        try component.boot(
            code: [], sandbox: SandboxOrder(filter: what.hasPrefix("the") ? [1, 2, 3] : unended, user: nil))
        #expect(try component.waitForExit() == .code(.sandbox))
        #expect(component.failure?.kind == .sandbox)
        #expect(component.failure?.message.contains("\(what): ") == true, "\(component.failure?.message ?? "")")
        #expect(component.failure?.message.contains("(errno 22)") == true)
    }

    #if arch(x86_64)
        /// Once its loop waits.
        private func makeSocketCall(in process: Int32) throws {
            for _ in 0..<10_000 {
                let error = chp_make_foreign_call(process, 41, [2, 1, 0])
                guard error == EAGAIN else {
                    #expect(error == 0)
                    return
                }
                usleep(1000)
            }
            throw TestFailure("the loop of process \(process) never waits")
        }

        @Test(.enabled(if: geteuid() == 0, "only root can put a call into another process"))
        func aRefusedCallIsTheVerdict() throws {
            let supervisor = try start()
            try makeSocketCall(in: try supervisor.pid(id))
            let ended = try supervisor.line("component ended", about: id)
            #expect(ended.text.contains("cause: sandbox-denial"), "\(ended.text)")
            #expect(
                ended.text.contains("made a system call that its sandbox forbids: socket (system call 41 of x86_64)"),
                "\(ended.text)")
            try supervisor.line("component ready", about: id, from: ended.number)
            let last = try supervisor.inspect(id).lastExit
            #expect(last?.cause == "sandbox-denial" && last?.code == 28)
            #expect(try supervisor.end() == 0)
        }

        /// Half a message stands in the control pipe: nothing is put into the middle of it.
        @Test(.enabled(if: geteuid() == 0, "only root can put a call into another process"))
        func aReportDoesNotBreakAMessage() throws {
            let component = try ComponentFixture(
                code: "const line = 'x'.repeat(100_000); for (let i = 0; i < 30; i++) { console.info(line); }")
            component.readsControl = false
            // Its loop waits for the pipe when the listing has come.
            try component.wait(for: "the connection") { $0.frames.contains { $0.kind == .listRequest } }
            usleep(500_000)
            try makeSocketCall(in: component.pid)
            component.readsControl = true
            #expect(try component.waitForExit() == .code(.sandboxDenial))
            #expect(
                component.reports.allSatisfy {
                    switch $0 {
                    case .hello, .confined, .preloaded: true
                    case .log(_, let line, _): line == String(repeating: "x", count: 100_000)
                    default: false
                    }
                })
        }
    #endif

    /// Nothing that is the core's answers to a component, by whatever name it asks.
    @Test func portsOfTheCoreAreNotThere() throws {
        let component = try ComponentFixture(
            code: """
                const answers = new Set();
                for (const port of ['fs_readFile', 'fs_writeFile', 'js_startComponent', 'keystore_decrypt', 'http_request',
                    'ws_open', 'assets_readBytes', 'component_protocolError', '__proto__', 'constructor']) {
                    try {
                        await __nativeCallDispatch(port, ['c-1', '/etc/passwd']);
                        answers.add(`${port} answers`);
                    } catch (error) { answers.add(error.name); }
                }
                const foreign = Object.getOwnPropertyNames(globalThis).filter(name => /__port(Send|Recv)_(?!core$)/.test(name));
                console.info('done', [...answers].join(), foreign.length, typeof __native, typeof Deno.readFile, typeof require);
                """)
        try component.wait(for: "its line") { $0.logLines.contains { $0.hasPrefix("done") } }
        #expect(component.logLines.last == "done ReferenceError 0 undefined undefined undefined")
    }
}
