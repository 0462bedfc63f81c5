import Control
import Glibc
import TestSupport
import Testing

/// `corehost run --core`: a life with a core of the user's; with bundles that are none it ends with 15, and says what is
/// wrong, by name.
@Suite struct RunCoreTests {
    private func run(_ core: String) throws -> (code: Int32, said: String) {
        let folder = try TemporaryFolder()
        let (code, lines) = try RunningSupervisor.corehost([
            "run", "--core", core, "--data", folder.path + "/data", "--socket", folder.path + "/control.sock",
            "--resources", RunningSupervisor.resources,
        ])
        #expect(!folder.names().contains("control.sock"))
        #expect(!folder.names(in: "data").contains("supervisor.lock"))
        return (code, lines.filter { !$0.contains("boot step done") }.joined(separator: "\n"))
    }

    @Test(
        arguments: [
            ("var __core3NWeb = (", "<html>", "SyntaxError"),
            ("var __core3NWeb = (", "throw new Error('not today'); (", "Error: not today"),
            ("var __core3NWeb = (", "const __core3NWeb = (", "__core3NWeb: lacks Core, Core.make"),
            ("    Core, Buffer,\n", "    Buffer,\n", "__core3NWeb: lacks Core, Core.make"),
            (
                "msgProtoType, exposeW3N, exposeStartupW3N", "msgProtoType, exposeStartupW3N",
                "__core3NWeb: lacks ipc.exposeW3N"
            ),
            (
                "exposeStartupW3N: exposeW3N,", "exposeStartupW3N: 7,",
                "__core3NWeb: ipc.exposeStartupW3N is of kind number, not function"
            ),
            (
                "async startDirectlyFromCache(", "async startFromCache(",
                "what Core.make gives: lacks startDirectlyFromCache"
            ),
        ])
    func aCoreThatIsNone(text: String, replacement: String, words: String) throws {
        let pair = try PairOfBundles([PairOfBundles.core: (text, replacement)])
        let (code, said) = try run(pair.path)
        #expect(code == 15)
        #expect(said.contains(words), "\(said)")
    }

    @Test func filesThatAreNotThere() throws {
        for name in [PairOfBundles.core, PairOfBundles.client] {
            let pair = try PairOfBundles(whole: [name: nil])
            let (code, said) = try run(pair.path)
            #expect(code == 15)
            #expect(said.contains("\(pair.path)/\(name): no such file; BUILDING.md says what"), "\(said)")
        }
        let (code, said) = try run("/nowhere/at-all")
        #expect(code == 15)
        #expect(said.contains("/nowhere/at-all/\(PairOfBundles.core): no such file"), "\(said)")
    }

    // MARK: A life with it

    private static let address = "ada@public.test"
    private static let other = "bob@public.test"
    private static let component = """
        const fs = await w3n.storage.getAppLocalFS();
        const before = await fs.readTxtFile('kept').catch(exception => exception.notFound ? 'nothing' : 'odd');
        await fs.writeTxtFile('kept', 'what was kept');
        w3nRPC.serve('Echo', {
            echo: async (value, bytes) => ({ value, bytes, before, user: await w3n.mailerid.getUserId(),
                app: [await w3n.ui.uiFormFactor(), await w3n.myVersion()] }),
        });
        console.log('started');
        """

    private struct Platform {
        let folder: TemporaryFolder
        let bundles: String

        func start() throws -> RunningProgram {
            try RunningProgram(
                "corehost",
                [
                    "run", "--core", bundles, "--data", folder.path + "/data", "--socket",
                    folder.path + "/control.sock", "--resources", RunningSupervisor.resources, "--apps",
                    folder.path + "/apps",
                ])
        }

        func corehost(_ arguments: String...) throws -> (code: Int32, lines: [String]) {
            try RunningSupervisor.corehost(arguments, ["COREHOST_SOCKET": folder.path + "/control.sock"])
        }

        /// What the component's service says of itself.
        func echo() throws -> JSONValue {
            let client = try ControlClient(path: folder.path + "/control.sock")
            let bytes: JSONValue = ["$bytes": "AQID"]
            return try client.ask(
                .call(app: "a.example.org", service: "Echo", method: "echo", arguments: [["a": 1], bytes]),
                as: CallReply.self, within: .seconds(30)
            ).result
        }

        func end(_ program: RunningProgram) throws {
            program.signal(SIGTERM)
            #expect(try program.waitForExit() == 0)
        }
    }

    private func platform(_ bundles: String) throws -> Platform {
        let folder = try TemporaryFolder()
        let app = SmallApps.app(
            "a.example.org", ["main.mjs": Self.component], services: ["main.mjs": ["Echo"]],
            caps: #"{"storage": {"appFS": "default"}, "mailerid": true, "appRPC": ["Echo"]}"#)
        for (name, text) in app { try folder.write(text, to: "apps/\(name)") }
        for (name, text) in [("right", "a password of some length"), ("wrong", "another one of the same")] {
            chmod(try folder.write(text, to: name), 0o600)
        }
        return Platform(folder: folder, bundles: bundles)
    }

    @Test(arguments: [PairOfBundles.original, RunningSupervisor.resources + "/core"])
    func aUserSignsUpStoresLeavesAndComesBack(bundles: String) throws {
        let platform = try platform(bundles)
        let first = try platform.start()
        try first.line { $0.contains("platform waits for a login") }
        let right = platform.folder.path + "/right"
        let signUp = try platform.corehost("signup", Self.address, "--password-file", right)
        #expect(signUp.code == 0, "\(signUp.lines)")
        try first.line { $0.contains("component ready") }
        let fresh = try platform.echo()
        #expect(fresh["before"] == "nothing")
        #expect(fresh["user"] == .string(Self.address))
        #expect(fresh["value"] == ["a": 1])
        #expect(fresh["bytes"] == ["$bytes": "AQID"])
        #expect(fresh["app"] == ["desktop", "1.0.0"])
        #expect(try platform.corehost("status").lines.contains { $0.contains("core: ") && $0.contains(bundles) })

        #expect(try platform.corehost("logout").code == 0)
        let wrong = try platform.corehost(
            "login", Self.address, "--password-file", platform.folder.path + "/wrong")
        #expect(wrong.code == 6, "\(wrong.lines)")
        #expect(try platform.corehost("login", Self.address, "--password-file", right).code == 0)
        #expect(try platform.echo()["before"] == "what was kept")
        #expect(try platform.corehost("logout").code == 0)
        #expect(try platform.corehost("signup", Self.other, "--password-file", right).code == 0)
        #expect(try platform.corehost("autologin", "on").code == 0)
        let users = [Self.address, "\(Self.other)  logged in, automatic login"]
        #expect(try platform.corehost("users").lines.sorted() == users)
        try platform.end(first)

        let second = try platform.start()
        try second.line { $0.contains("component ready") }
        #expect(try platform.echo()["user"] == .string(Self.other))
        #expect(try platform.corehost("users").lines.sorted() == users)
        try platform.end(second)
    }

    /// A file system of one component in the hands of another, of another app, and what that makes of it.
    private static let giving = """
        const fs = await w3n.storage.getAppLocalFS();
        w3nRPC.serve('Giving', {
            give: async () => {
                await fs.writeTxtFile('given/text', 'of the giver');
                const connection = await w3n.rpc.otherAppsRPC('taking.example.org', 'Taking');
                const reply = await connection.makeRequestReplyCall('take', { passedByReference: [fs] });
                const [back] = reply.passedByReference;
                return [await fs.readTxtFile('taken/text'), await back.readTxtFile('text'), back.name];
            },
        });
        """
    private static let taking = """
        w3n.rpc.exposeService('Taking', { next: connection => connection.watch({
            next: async ({ msgType, callNum, data }) => {
                if (msgType !== 'start') { return; }
                try {
                    const [fs] = data.passedByReference;
                    const text = await fs.readTxtFile('given/text');
                    const missing = await fs.readTxtFile('none').catch(exception => exception.notFound);
                    const sub = await fs.writableSubRoot('taken');
                    await sub.writeTxtFile('text', `${text}, taken, ${missing}, ${fs.type}`);
                    await sub.writeBytes('bytes', new Uint8Array(70000).fill(7));
                    if ((await sub.readBytes('bytes', 1, 3)).join() !== '7,7') { throw new Error('other bytes'); }
                    await connection.send({ callNum, callStatus: 'end', data: { passedByReference: [sub] } });
                } catch (error) {
                    await connection.send({ callNum, callStatus: 'error', err: `${error.message ?? error.type}` });
                }
            },
        }) });
        """

    @Test(arguments: [PairOfBundles.original, RunningSupervisor.resources + "/core"])
    func objectsArePassedToOtherComponentsByReference(bundles: String) throws {
        let folder = try TemporaryFolder()
        let apps = SmallApps.together(
            SmallApps.app(
                "giving.example.org", ["main.mjs": Self.giving], services: ["main.mjs": ["Giving"]],
                caps: #"""
                    {"storage": {"appFS": "default"},
                     "otherAppsRPC": [{"app": "taking.example.org", "service": "Taking"}]}
                    """#),
            SmallApps.app(
                "taking.example.org", ["main.mjs": Self.taking], services: ["main.mjs": ["Taking"]], caps: "{}"))
        for (name, text) in apps { try folder.write(text, to: "apps/\(name)") }
        chmod(try folder.write("a password", to: "right"), 0o600)
        let platform = Platform(folder: folder, bundles: bundles)
        let program = try platform.start()
        try program.line { $0.contains("platform waits for a login") }
        let signUp = try platform.corehost("signup", Self.address, "--password-file", folder.path + "/right")
        #expect(signUp.code == 0, "\(signUp.lines)")
        let client = try ControlClient(path: folder.path + "/control.sock")
        let reply = try client.ask(
            .call(app: "giving.example.org", service: "Giving", method: "give", arguments: []), as: CallReply.self,
            within: .seconds(30))
        let text: JSONValue = "of the giver, taken, true, local"
        #expect(reply.result == [text, text, "taken"])
        try platform.end(program)
    }

    /// The caller is told that there is no end, and the supervisor stays in hand.
    @Test func aCoreInitThatNeverResolvesKeepsNobodyWaiting() throws {
        let pair = try PairOfBundles([PairOfBundles.core: ("this.#signedIn.resolve(address);", "")])
        let platform = try platform(pair.path)
        let program = try platform.start()
        try program.line { $0.contains("platform waits for a login") }
        let right = platform.folder.path + "/right"
        let signUp = try platform.corehost("signup", Self.address, "--password-file", right, "--timeout", "1s")
        #expect(signUp.code == 5, "\(signUp.lines)")
        #expect(try platform.corehost("status").lines.contains { $0.contains("logging-in") })
        try platform.end(program)
    }
}
