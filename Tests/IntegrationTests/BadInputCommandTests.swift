import Control
import Foundation
import TestSupport
import Testing

private let id = "echo.test/echo.mjs"

/// Commands that cannot be carried out.
@Suite struct BadInputCommandTests {
    private func echoApps(_ code: String = SmallApps.echo) -> [String: String] {
        SmallApps.app("echo.test", ["echo.mjs": code], services: ["echo.mjs": ["Echo"]])
    }

    @Test func idsThatAreNoneOrSeveral() throws {
        let supervisor = try RunningSupervisor(
            apps: echoApps().merging(SmallApps.app("two.test", ["a.js": "// a", "b.js": "// b"])) { one, _ in one })
        for name in ["echo.test/echo.mjs", "two.test/a.js", "two.test/b.js"] {
            try supervisor.line("component ready", about: name)
        }
        for verb in ["inspect", "logs", "start", "stop", "restart", "kill"] {
            let none = try supervisor.corehost(verb, "none.test")
            #expect(none.code == 3)
            #expect(none.lines == ["corehost: no component is called \"none.test\"; `corehost ps` lists them"])
            for name in ["two.test", "two", "two.test/"] {
                let several = try supervisor.corehost(verb, name)
                #expect(several.code == 3)
                #expect(
                    several.lines == [
                        "corehost: \"\(name)\" can be two.test/a.js, two.test/b.js: give more of the id"
                    ])
            }
        }
        #expect(try supervisor.corehost("stop", "").code == 3)
        let connector = try #require(try supervisor.row(id).connector)
        for name in [id, "echo.test", "echo", connector, String(connector.prefix(12))] {
            #expect(try supervisor.corehost("inspect", name).code == 0, "\(name)")
        }
        #expect(try supervisor.ps().allSatisfy { $0.state == "running" && $0.generation == 1 })
        #expect(try supervisor.end() == 0)
    }

    @Test func signalsThatMayNotBeSent() throws {
        let supervisor = try RunningSupervisor(apps: echoApps())
        try supervisor.line("component ready", about: id)
        for (name, complaint) in [
            ("USR1", "SIGUSR1 belongs to the JavaScript engine; use one of SIGKILL, "),
            ("segv", "SIGSEGV belongs to the JavaScript engine; use one of SIGKILL, "),
            ("SIGNOT", "there is no signal \"SIGNOT\"; use one of SIGKILL, "),
            ("77", "there is no signal \"77\"; use one of SIGKILL, "),
        ] {
            let refused = try supervisor.corehost("kill", id, "--signal", name)
            #expect(refused.code == 2)
            #expect(refused.lines.first?.hasPrefix("corehost: kill: \(complaint)") == true, "\(refused.lines)")
        }
        // The socket refuses them as well as the command line does.
        let client = try RawClient(supervisor.socket)
        client.send(#"{"jsonrpc": "2.0", "id": 1, "method": "kill", "params": {"id": "echo", "signal": "SIGUSR1"}}"#)
        #expect(client.line()?["error"]?["code"] == -32602)
        #expect(try supervisor.row(id).generation == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func callsThatCannotSucceed() throws {
        let code = SmallApps.echo.replacingOccurrences(
            of: "never:",
            with: """
                dies: () => { setTimeout(() => { throw new Error('dies'); }); return new Promise(() => {}); },
                throws: async () => { throw new Error('in words'); },
                throwsText: async () => { throw 'only text'; },
                never:
                """)
        let supervisor = try RunningSupervisor(apps: echoApps(code))
        try supervisor.line("component ready", about: id)
        for (arguments, flag, message) in [
            (
                ["none.test", "Echo", "echo"], "serviceNotFound",
                "no component of none.test has service Echo; check both names, and that the app is there"
            ),
            (
                ["echo.test", "None", "echo"], "serviceNotFound",
                "no component of echo.test has service None; check both names, and that the app is there"
            ),
        ] {
            let rejected = try RunningSupervisor.corehost(["call"] + arguments, ["COREHOST_SOCKET": supervisor.socket])
            #expect(rejected.code == 7)
            let exception = try JSONParser.parse(rejected.lines.joined())
            #expect(exception["runtimeException"] == true && exception["type"] == "rpc" && exception[flag] == true)
            #expect(exception["message"]?.string == message)
        }
        #expect(try !supervisor.corehost("logs").lines.contains { $0.contains("unhandled") })
        for (method, json) in [
            ("throws", #"{"runtimeException":true,"type":"service","name":"Error","message":"in words"}"#),
            ("throwsText", #"{"runtimeException":true,"type":"service","message":"only text"}"#),
        ] {
            let thrown = try supervisor.corehost("call", "echo.test", "Echo", method)
            #expect(thrown.code == 7 && thrown.lines == [json])
        }
        let method = try supervisor.corehost("call", "echo.test", "Echo", "none")
        #expect(method.code == 7)
        #expect(
            try JSONParser.parse(method.lines.joined())["message"]?.string?.contains("none") == true, "\(method.lines)")
        let asked = try supervisor.corehost("audit").lines.count
        let noJSON = try supervisor.corehost("call", "echo.test", "Echo", "echo", "1", "{a: 1}")
        #expect(noJSON.code == 2)
        #expect(
            noJSON.lines.first?.hasPrefix("corehost: call: argument 2, {a: 1}, is not JSON at byte 1: ") == true,
            "\(noJSON.lines)")
        #expect(try supervisor.corehost("audit").lines.count == asked)
        let dying = try supervisor.corehost("call", "echo.test", "Echo", "dies")
        #expect(dying.code == 7)
        let exception = try JSONParser.parse(dying.lines.joined())
        #expect(exception["type"] == "rpc" && exception["connectionClosed"] == true)
        #expect(try supervisor.end() == 0)
    }

    @Test func whileThePlatformBoots() throws {
        let folder = try TemporaryFolder()
        let resources = try ChangedResources.copy(
            to: folder,
            [
                "js/core-load.js": (
                    "if (platform.session) {",
                    """
                    while (!(await __nativeCallDispatch('assets_listFolder', [false, '']))
                        .some(({ name }) => name === 'go')) { await __nativeCallDispatch('delay', [5]); }
                    if (platform.session) {
                    """
                )
            ])
        let supervisor = try RunningSupervisor(
            apps: echoApps(), resources: resources, folder: folder, waitsForPlatform: false)
        try supervisor.program.line { $0.contains("step: js/core-load.js") }
        for arguments in [
            ["start", id], ["stop", id], ["restart", id], ["kill", id], ["inspect", id],
            ["call", "echo.test", "Echo", "echo"],
        ] {
            let refused = try RunningSupervisor.corehost(arguments, ["COREHOST_SOCKET": supervisor.socket])
            #expect(refused.code == 6, "\(arguments)")
            #expect(
                refused.lines == ["corehost: the platform is booting; `corehost status` shows when it runs"],
                "\(arguments)")
        }
        #expect(try supervisor.corehost("ps").lines.count == 1)
        #expect(try supervisor.corehost("status").lines.contains("state:      booting"))
        try folder.write("", to: "apps/go")
        try supervisor.line("component ready", about: id)
        #expect(try supervisor.call("echo.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func whileThePlatformShutsDownAndAfterwards() throws {
        let supervisor = try RunningSupervisor(
            apps: echoApps(SmallApps.echo + "\nsetTimeout(() => { for (;;); }, 0);"),
            configuration: #"{"components": {"*": {"stopGrace": "20s"}}}"#)
        try supervisor.line("component ready", about: id)
        supervisor.program.signal(SIGTERM)
        try supervisor.line("shutting down")
        for arguments in [["start", id], ["stop", id], ["restart", id], ["call", "echo.test", "Echo", "echo"]] {
            let refused = try RunningSupervisor.corehost(arguments, ["COREHOST_SOCKET": supervisor.socket])
            #expect(refused.code == 6, "\(arguments)")
            #expect(
                refused.lines == ["corehost: the platform is shutting down; start it again with `corehost run`"],
                "\(arguments)")
        }
        #expect(try supervisor.corehost("status").lines.contains("state:      closing"))
        // What holds the shutdown up may be killed.
        #expect(try supervisor.corehost("kill", id).code == 0)
        #expect(try supervisor.program.waitForExit() == 0)
        try supervisor.checkNothingIsLeft([])
        for verb in ["ps", "status", "logs", "shutdown"] {
            let none = try supervisor.corehost(verb)
            #expect(none.code == 4)
            #expect(
                none.lines == [
                    "corehost: no supervisor is running at \(supervisor.socket); start one with `corehost run`"
                ])
        }
    }

    @Test(arguments: [
        (["run"], "run: HOME is not set; say where the data shall be with --data DIR"),
        (["rnu"], "there is no command \"rnu\", did you mean run? `corehost help` lists them"),
        (["ps", "--jsn"], "ps: there is no option --jsn, did you mean --json? `corehost help ps` lists them"),
        (["stop", "a", "b"], "stop: \"b\" is one too many; usage: corehost stop ID [options]"),
    ])
    func commandLinesThatAreNone(_ arguments: [String], _ message: String) throws {
        let refused = try RunningSupervisor.corehost(arguments)
        #expect(refused.code == 2)
        #expect(refused.lines == ["corehost: \(message)"])
    }
}
