import Control
import Glibc
import Logging
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import SupervisionPlane
@testable import SupervisorProgram

/// Commands inside this process, against a control server with a service of canned answers.
@Suite struct CommandTests {
    struct Outcome: Equatable {
        let code: ExitCode
        let out: String
        let error: String
    }

    private static func run(_ arguments: [String], environment: [String: String] = [:]) -> Outcome {
        let out = Mutex("")
        let error = Mutex("")
        let console = Console(
            out: { text in
                out.withLock { $0 += text }
                return .done
            }, error: { text in error.withLock { $0 += text + "\n" } }, width: nil, hasColours: false,
            environment: environment)
        let engine = SupervisorProgram.commands
        let commands = CommandLineMain.commands.map { command in engine.first { $0.name == command.name } ?? command }
        let code = CommandLineMain.run(arguments, commands, console: console)
        return Outcome(code: code, out: out.withLock { $0 }, error: error.withLock { $0 })
    }

    private func withService(_ body: (_ run: ([String]) -> Outcome, EventList) throws -> Void) throws {
        let events = EventList()
        let server = try ControlServerThread { CannedService(events: events) }
        defer { server.stop() }
        try body({ Self.run($0, environment: ["COREHOST_SOCKET": server.path]) }, events)
    }

    @Test(arguments: [
        ([], "which command? `corehost help` lists them"),
        (["lgos"], "there is no command \"lgos\", did you mean logs? `corehost help` lists them"),
        (["frobnicate"], "there is no command \"frobnicate\"; `corehost help` lists them"),
        (["help", "inspekt"], "there is no command \"inspekt\", did you mean inspect? `corehost help` lists them"),
        (
            ["logs", "--folow"],
            "logs: there is no option --folow, did you mean --follow? `corehost help logs` lists them"
        ),
        (["logs", "-x"], "logs: there is no option -x; `corehost help logs` lists them"),
        (["stop"], "stop: ID is missing; usage: corehost stop ID [options]"),
        (["stop", "a", "b"], "stop: \"b\" is one too many; usage: corehost stop ID [options]"),
        (["stop", "a", "--timeout"], "stop: --timeout needs a value: --timeout TIME"),
        (["run", "--local", "--data", ""], "run: --data needs a value: --data DIR"),
        (["run", "--local", "--data="], "run: --data needs a value: --data DIR"),
        (["stop", "a", "--timeout", "soon"], "stop: --timeout must be a time like 30s, 500ms or 2m, not \"soon\""),
        (["ps", "--json=yes"], "ps: --json takes no value"),
        (["ps", "--watch", "0"], "ps: --watch must be seconds from 0.1 to 3600, not \"0\""),
        (["ps", "--watch=x"], "ps: --watch must be seconds from 0.1 to 3600, not \"x\""),
        (["eval", "a"], "eval: EXPR is missing; usage: corehost eval ID EXPR [options]"),
        (["eval", "a", "1", "--timeout", "2m"], "eval: --timeout must be a time from 1ms to 60s, not \"2m\""),
        (["logs", "-n", "x"], "logs: --lines must be a whole number from 0 to 1000000, or all, not \"x\""),
        (["logs", "-f", "--until", "1h"], "logs: --follow goes on for ever; leave out --follow or --until"),
        (
            ["logs", "--since", "5"],
            "logs: --since must be a time ago like 10m or 2h, or a time in UTC like 2026-01-31T23:59:59, not \"5\""
        ),
        (
            ["logs", "--level", "loud"],
            "logs: --level must be one of debug, info, notice, warning, error, critical, alert, emergency, not "
                + "\"loud\""
        ),
        (["logs", "--grep", "("], "logs: --grep \"(\" is no pattern: Unmatched ( or \\(; put \\ before signs"),
        (
            ["kill", "a", "--signal", "usr1"],
            "kill: SIGUSR1 belongs to the JavaScript engine; use one of SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, "
                + "SIGABRT, SIGSTOP, SIGCONT, SIGUSR2, SIGALRM, SIGILL, SIGFPE, SIGTRAP, SIGXCPU, SIGSYS"
        ),
        (
            ["kill", "a", "--signal", "FOO"],
            "kill: there is no signal \"FOO\"; use one of SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGABRT, SIGSTOP, "
                + "SIGCONT, SIGUSR2, SIGALRM, SIGILL, SIGFPE, SIGTRAP, SIGXCPU, SIGSYS"
        ),
        (
            ["call", "a", "S", "m", "1", "text"],
            "call: argument 2, text, is not JSON at byte 0: no value begins like this; a text needs its own quotes: "
                + "'\"text\"'"
        ),
        (["run"], "run: HOME is not set; say where the data shall be with --data DIR"),
        (["run", "--local", "--user", "a@b"], "run: --local has its own user; leave out --local or --user"),
        (["run", "--user", "ada"], "run: --user \"ada\" is no address; write it like ada@example.org"),
        (["login"], "login: ADDRESS is missing; usage: corehost login ADDRESS [options]"),
        (["login", "ada"], "login: \"ada\" is no address; write it like ada@example.org"),
        (["signup", "a@b@c"], "signup: \"a@b@c\" is no address; write it like ada@example.org"),
        (
            ["login", "a@b", "--password-fd", "x"],
            "login: --password-fd must be the number of an open descriptor, not \"x\""
        ),
        (
            ["login", "a@b", "--password-fd", "3", "--password-file", "f"],
            "login: give --password-fd or --password-file, not both"
        ),
        (["autologin", "maybe"], "autologin: \"maybe\" is neither on nor off"),
        (["run", "--local"], "run: HOME is not set; say where the data shall be with --data DIR"),
        (["ps"], "ps: HOME is not set; say which supervisor with --socket"),
    ])
    func refusesWrongUsage(_ arguments: [String], _ message: String) {
        #expect(Self.run(arguments) == Outcome(code: .usage, out: "", error: "corehost: \(message)\n"))
    }

    @Test(arguments: CommandLineMain.commands.map(\.name)) func helpsWithEveryCommand(_ name: String) throws {
        let text = Self.run(["help", name]).out
        #expect(Self.run([name, "--help"]).out == text || name == "help")
        #expect(text.hasPrefix("usage: corehost \(name)"))
        for part in ["options:\n", "exit codes:\n  0   ok\n", "example:\n  corehost \(name)", "-h, --help"] {
            #expect(text.contains(part))
        }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
        #expect(Self.run(["--help"]).out.contains("\n  \(name)"))
    }

    @Test func listsComponents() throws {
        try withService { run, _ in
            #expect(run(["ps"]).out.hasPrefix("ID   STATE    PID  UPTIME  RESTARTS  MEMORY  IN  OUT\na/x  running  "))
            let json = try JSONParser.parse(run(["ps", "--json"]).out)
            #expect(json["schema"] == "corehost.ps/1")
            let keys = json["components"]?.array?.first?.members?.map(\.key)
            #expect(
                keys == [
                    "id", "connector", "app", "entry", "kind", "state", "phase", "wanted", "pid", "generation",
                    "uptime",
                    "restarts", "memory", "heap", "in", "out", "lag", "calls",
                    "status",
                ])
            #expect(json["components"]?.array?.first?["phase"] == .null)
        }
    }

    @Test func deathsAreListedWithWhatIsMissingOfThem() throws {
        try withService { run, _ in
            #expect(
                run(["deaths", "a/x"]).out.split(separator: "\n") == [
                    "12  2026-01-31T23:59:59.123Z  g3  signalled, likely: ended by SIGTERM; then: restart",
                    "2 lines of what was kept cannot be read", "1 deaths were lost, as the disk did not take them",
                    "the disk takes none now: no space",
                ])
            #expect(run(["deaths", "a/x", "last"]).code == .noSuchID && run(["why", "a/x"]).code == .noSuchID)
            #expect(
                run(["deaths", "a/x", "first"]).error
                    == "corehost: deaths: which one must be a number of the list, or last, not \"first\"\n")
        }
    }

    @Test func changesComponentsAndSaysWhatIsSo() throws {
        try withService { run, events in
            #expect(run(["stop", "a"]) == Outcome(code: .ok, out: "a/x: down\n", error: ""))
            #expect(run(["start", "a"]).out == "a/x: running\n")
            #expect(run(["kill", "a", "--signal", "term"]).code == .ok)
            #expect(events.all == ["stop a", "start a", "kill a SIGTERM"])
            let json = try JSONParser.parse(run(["restart", "a", "--json"]).out)
            #expect(json["schema"] == "corehost.component/1" && json["component"]?["state"] == "running")
        }
    }

    @Test func exitsWithTheCodeOfWhatHappened() throws {
        try withService { run, _ in
            #expect(
                run(["inspect", "none"])
                    == Outcome(
                        code: .noSuchID, out: "",
                        error: "corehost: no component is called \"none\"; `corehost ps` lists them\n"))
            #expect(run(["inspect", "two"]).error == "corehost: \"two\" can be a/x, a/y: give more of the id\n")
            #expect(
                run(["stop", "never", "--timeout", "20ms"])
                    == Outcome(
                        code: .timedOut, out: "",
                        error: "corehost: no answer to \"stop\" within 0.02 s; `corehost ps` shows how far it is\n"))
            #expect(run(["apps", "uninstall", "a.test"]).code == .refused)
            #expect(run(["logs", "none"]).code == .noSuchID)
            #expect(run(["shutdown"]).code == .failed)
        }
        #expect(Self.run(["ps", "--socket", "/tmp/no-such.sock"]).code == .notRunning)
    }

    @Test func printsTheResultOfACallAndTheExceptionOfARejectedOne() throws {
        try withService { run, _ in
            #expect(
                run(["call", "a", "S", "echo", "-1", #"{"b":[]}"#]).out == "[\n  -1,\n  {\n    \"b\": []\n  }\n]\n")
            #expect(
                run(["call", "a", "S", "reject"])
                    == Outcome(
                        code: .callRejected, out: "",
                        error: #"{"runtimeException":true,"type":"rpc","connectionClosed":true}"# + "\n"))
        }
    }

    @Test func printsLinesAsInTheFileAndOneObjectForEach() throws {
        try withService { run, _ in
            let line = "1970-01-01T00:00:00.000Z [corehost|info] line 0 | k: v\n"
            #expect(run(["logs", "-n", "1"]).out == line)
            let json = try JSONParser.parse(run(["logs", "-n", "1", "--json"]).out)
            #expect(json["schema"] == "corehost.log/1" && json["id"] == .null && json["fields"] == ["k": "v"])
            #expect(run(["logs", "-f", "-n", "1"]).out == line + line)
        }
    }

    @Test func showsEventsAndWhatIsLostOfThem() throws {
        try withService { run, _ in
            let event = "1970-01-01T00:00:00.000Z #8 component-died a/x g2 | cause: killed"
            for arguments in [["events"], ["events", "-f"]] {
                let lines = run(arguments).out.split(separator: "\n")
                #expect(lines.count == 2 && lines[0].hasSuffix(" #1…7 7 events are no longer there"))
                #expect(lines[1] == event)
            }
            let json = try run(["events", "--json", "-f"]).out.split(separator: "\n").map {
                try JSONParser.parse("\($0)")
            }
            #expect(json.map { $0["kind"] } == ["events-lost", "component-died"])
        }
    }

    @Test(arguments: [
        ("1h", Int64(-3_600_000)), ("500ms", -500), ("2m", -120_000), ("1970-01-02", 86_400_000),
        ("1970-01-01T00:01", 60_000), ("1970-01-01T00:00:01Z", 1000), ("1970-01-01T00:00:00.005", 5),
    ]) func readsMoments(_ text: String, _ milliseconds: Int64) {
        #expect(TimePoint.parse(text, now: LogTime(milliseconds: 0))?.milliseconds == milliseconds)
    }

    @Test(arguments: ["", "5", "yesterday", "1970-02-30", "1970-01-01T25:00", "-5m", "5 m", "1970-1-1", "ümlaut"])
    func readsNothingElseAsAMoment(_ text: String) { #expect(TimePoint.parse(text) == nil) }

    @Test func showsWhatTheDoctorFindsAndWhatEvalGives() throws {
        try withService { run, _ in
            let doctor = run(["doctor"])
            #expect(doctor.code == .probeFailed)
            #expect(
                doctor.out
                    == "differs  lock  /x\n  /x: believed: b; found: f\n    what to do: a\nok       logs  all\n")
            let json = try JSONParser.parse(run(["doctor", "--json"]).out)
            #expect(json["ok"] == false)
            #expect(run(["eval", "core", "1 + 1"]) == Outcome(code: .ok, out: "1 + 1\n", error: ""))
            #expect(run(["eval", "a", "off"]).code == .refused)
        }
    }

    @Test func showsTheAudit() throws {
        try withService { run, _ in
            #expect(
                run(["audit"]).out
                    == "1970-01-01T00:00:00.000Z kill id=a/x signal=SIGKILL: done, after 1.5 ms, by corehost (process 12, "
                    + "uid 1000)\n1970-01-01T00:00:01.000Z stop id=x: failed: no such, after 0.2 ms, by a program that has "
                    + "gone (process 13, uid 0)\n")
            let lines = run(["audit", "--json", "-n", "2"]).out.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix(#"{"schema":"corehost.audit-record/1","time":"1970"#))
            #expect(run(["audit", "-n", "1001"]).code == .usage)
        }
    }

    @Test func endsQuietlyWhenTheReaderHasGone() throws {
        let server = try ControlServerThread { CannedService(events: EventList()) }
        defer { server.stop() }
        let console = Console(
            out: { _ in .closed }, error: { Issue.record("said \($0)") }, width: nil, hasColours: false,
            environment: [:])
        for arguments in [
            ["ps"], ["ps", "--json"], ["logs"], ["logs", "-f"], ["events"], ["events", "-f"], ["stop", "a"],
            ["call", "a", "S", "m"],
        ] {
            #expect(CommandLineMain.run(arguments + ["--socket", server.path], console: console) == .ok)
        }
    }

    @Test func saysWhenTheOutputTakesNoMore() throws {
        let server = try ControlServerThread { CannedService(events: EventList()) }
        defer { server.stop() }
        let said = Mutex("")
        let console = Console(
            out: { _ in .failed(errno: ENOSPC) }, error: { text in said.withLock { $0 += text } }, width: nil,
            hasColours: false, environment: [:])
        for arguments in [["ps"], ["logs"], ["logs", "-f"], ["events", "-f"]] {
            said.withLock { $0 = "" }
            #expect(CommandLineMain.run(arguments + ["--socket", server.path], console: console) == .failed)
            #expect(said.withLock { $0 }.contains("No space left on device"))
        }
    }

    // MARK: Without a supervisor

    private func withConfiguration(_ text: String, _ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try body(try folder.write(text, to: "corehost.jsonc"))
    }

    @Test func checksTheConfiguration() throws {
        try withConfiguration("{\"components\": {\"a.b\": {\"stopGrace\": \"1s\"}}}") { path in
            #expect(Self.run(["config", "check", "--config", path]).out == "\(path): right; rules for a.b\n")
        }
        try withConfiguration("{\n  \"componets\": {}\n}") { path in
            let outcome = Self.run(["config", "check", "--config", path])
            #expect(outcome.code == .badConfiguration)
            #expect(outcome.error.hasPrefix("corehost: \(path):2:16: componets: unknown key; known here: components, "))
            let json = try JSONParser.parse(Self.run(["config", "check", "--json", "--config", path]).out)
            #expect(json["ok"] == false && json["line"] == 2 && json["key"] == "componets")
        }
    }

    @Test func showsWhatTheConfigurationSaysOfAComponent() throws {
        try withConfiguration("{\"components\": {\"a.b\": {\"stopGrace\": \"1s\"}}}") { path in
            let lines = Self.run(["config", "show", "a.b/c.js", "--config", path]).out.split(separator: "\n")
            #expect(
                lines.contains { $0.split(separator: " ") == ["stopGrace", "1s", "components.\"a.b\",", "line", "1"] })
            #expect(lines.contains { $0.split(separator: " ") == ["period", "5min", "default"] })
        }
        #expect(Self.run(["config", "show", "/x"]).error.contains("\"/x\" is no id"))
        #expect(Self.run(["config", "sow"]).code == .usage)
    }

    @Test func explainsAPolicy() throws {
        try withConfiguration("{\"components\": {\"*\": {\"maxRestarts\": 2}}}") { path in
            let text = Self.run(["policy", "explain", "--config", path]).out
            #expect(text.hasPrefix("permanent; at most 2 restarts within 5 min"))
            #expect(text.hasSuffix("failed: more than 2 restarts within 5 min\n"))
            let json = try JSONParser.parse(Self.run(["policy", "explain", "--json", "--config", path]).out)
            #expect(json["lives"]?.array?.map { $0["next"] } == ["restart", "restart", "failed"])
        }
        #expect(Self.run(["policy", "explain", "--ready", "1s,soon"]).error.contains("--ready has \"soon\""))
        #expect(
            Self.run(["policy", "explain", "--restart", "often"]).error.contains("permanent, transient, temporary"))
    }

    @Test func listsUsersAndLogsThemIn() throws {
        let folder = try TemporaryFolder()
        let (right, wrong) = (try folder.write("right\n", to: "right"), try folder.write("wrong", to: "wrong"))
        for path in [right, wrong] { chmod(path, 0o600) }
        try withService { run, _ in
            #expect(run(["users"]).out == "a@b.c  logged in, automatic login\nd@e.f\n")
            #expect(try JSONParser.parse(run(["users", "--json"]).out)["schema"] == "corehost.users/1")
            for command in ["login", "signup"] {
                let done = run([command, "a@b.c", "--password-file", right])
                #expect(done == Outcome(code: .ok, out: "a@b.c is logged in\n", error: ""))
                let refused = run([command, "a@b.c", "--password-file", wrong])
                #expect(refused.code == .refused && refused.out.isEmpty)
                #expect(refused.error == "corehost: the password is not that of a@b.c; try again\n")
            }
            let json = try JSONParser.parse(run(["login", "a@b.c", "--password-file", right, "--json"]).out)
            #expect(json == ["schema": "corehost.login/1", "user": "a@b.c", "login": "logged-in"])
            #expect(run(["logout"]).out == "a@b.c is logged out, and is not logged in automatically\n")
            #expect(run(["autologin", "on"]).out == "automatic login is on for a@b.c\n")
            #expect(run(["autologin"]).out == "automatic login is off\n")
            #expect(run(["open-url", "w3n://a.b"]).out == "a opens after the login\n")
        }
    }

    @Test func theProgramWithTheEngineNamesTheOtherOne() {
        let console = Console(
            out: { _ in .done },
            error: { #expect($0 == "corehost: this program has run, core, version; use `corehost ps`") },
            width: nil, hasColours: false, environment: [:])
        #expect(CommandLineMain.run(["ps"], SupervisorProgram.commands, console: console) == .usage)
    }

    @Test func makesRunOptionsOfTheArguments() throws {
        let arguments = try ArgumentParser.parse(
            ["--local", "--data", "/nowhere/data", "--apps", "apps", "--config=/c"], for: SupervisorCommands.run)
        let options = try RunCommand.options(arguments, ["XDG_RUNTIME_DIR": "/run/user/7"])
        #expect(options.dataFolder == "/nowhere/data" && options.appsFolder == "apps" && options.resourcesFolder == nil)
        #expect(options.configurationFile == "/c" && options.configurationIsRequired)
        #expect(options.socketPath.hasPrefix("/run/user/7/corehost/") && options.socketPath.hasSuffix(".sock"))
    }

    /// What a unit of the service manager's runs is what was asked for here, from any folder and in any environment.
    @Test(arguments: [
        [], ["--local"], ["--user=-ada b@example.org", "--core", "/nowhere/core", "--no-sandbox"],
        [
            "--local", "--data", "/nowhere/da ta", "--apps", "/nowhere/apps", "--packs", "/nowhere/packs",
            "--resources", "/nowhere/resources", "--ca-file", "/nowhere/ca.pem", "--config", "/nowhere/c.jsonc",
            "--socket", "/nowhere/s.sock", "--json", "--component-user", "nobody",
        ],
        ["--allow-root-components", "--allow-eval", "--allow-faults"],
    ])
    func aRunIsRepeatedWithAllItsOptions(_ given: [String]) throws {
        let environment = ["HOME": "/nowhere/home", "XDG_RUNTIME_DIR": "/run/user/7"]
        let options = try Self.runOptions(given, environment)
        let command = options.commandLine
        #expect(command[0].hasPrefix("/") && command[1] == "run")
        var again = try Self.runOptions(Array(command.dropFirst(2)), ["HOME": "/nowhere/home"])
        #expect(again == options)
        again.socketPath = ""
        #expect(again != options)
        // Whoever adds one decides whether a unit repeats it.
        #expect(
            Mirror(reflecting: options).children.compactMap(\.label) == [
                "isLocal", "expectedUser", "dataFolder", "appsFolder", "packsFolder", "resourcesFolder", "coreFolder",
                "authoritiesFile", "configurationFile", "configurationIsRequired", "socketPath", "writesJSON",
                "isSandboxed", "componentUser", "allowsRootComponents", "allowsEval", "allowsFaults",
            ])
    }

    private static func runOptions(_ arguments: [String], _ environment: [String: String]) throws -> RunOptions {
        try RunCommand.options(
            try ArgumentParser.parse(arguments, for: SupervisorCommands.run), environment)
    }
}

/// Answers by the id that is asked for.
private final class CannedService: ControlService {
    private let events: EventList
    private var kept: [ControlExchange] = []

    init(events: EventList) { self.events = events }

    func handle(_ request: ControlRequest, _ exchange: ControlExchange) {
        switch request {
        case .ps: exchange.reply(PsReply(components: [row("running")]))
        case .inspect("two"): exchange.fail(.ambiguous("two", candidates: ["a/x", "a/y"]))
        case .inspect(let id), .why(let id), .deaths(let id, _?): exchange.fail(.noSuchComponent(id))
        case .deaths(let id, nil):
            let death = DeathsReply.Row(
                number: 12, component: id, generation: 3, time: "2026-01-31T23:59:59.123Z", cause: "signalled",
                certainty: "likely", message: "ended by SIGTERM", next: "restart")
            exchange.reply(DeathsReply(component: id, deaths: [death], damaged: 2, lost: 1, problem: "no space"))
        case .stop("never"): kept.append(exchange)
        case .stop(let id):
            events.add("stop \(id)")
            exchange.reply(ComponentReply(component: row("down")))
        case .start(let id):
            events.add("start \(id)")
            exchange.reply(ComponentReply(component: row("running")))
        case .restart: exchange.reply(ComponentReply(component: row("running")))
        case .kill(let id, let signal):
            events.add("kill \(id) \(signal.name)")
            exchange.reply(ComponentReply(component: row("gone")))
        case .call(_, _, "reject", _):
            exchange.fail(.callRejected(["runtimeException": true, "type": "rpc", "connectionClosed": true]))
        case .call(_, _, _, let arguments): exchange.reply(CallReply(result: .array(arguments)))
        case .logs(let request):
            if request.ids == ["none"] { return exchange.fail(.noSuchComponent("none")) }
            let lines = LogsReply(lines: [line(0)])
            guard request.follow else { return exchange.reply(lines) }
            exchange.replyAndStream(lines)
            exchange.send(line(0))
        case .users:
            exchange.reply(
                UsersReply(users: [
                    UsersReply.User(address: "a@b.c", isLoggedIn: true, isAutomatic: true),
                    UsersReply.User(address: "d@e.f", isLoggedIn: false, isAutomatic: false),
                ]))
        case .login(let address, let password), .signup(let address, let password):
            exchange.send(LoginNews(percent: 7))
            if password.text == "right" {
                exchange.reply(LoginReply(user: address, login: "logged-in"))
            } else {
                exchange.fail(ControlError(.refused, "the password is not that of \(address); try again"))
            }
        case .doctor:
            exchange.reply(
                DoctorReply(
                    checks: [.init("lock", "/x"), .init("logs", "all")],
                    differences: [.init("lock", "/x", believed: "b", found: "f", advice: "a")]))
        case .eval(let request):
            if request.expression == "off" { return exchange.fail(ControlError(.refused, "eval is off")) }
            exchange.reply(EvalReply(id: request.id, value: request.expression))
        case .logout: exchange.reply(LoginReply(user: "a@b.c", login: "not-logged-in"))
        case .autologin(let on): exchange.reply(AutologinReply(isOn: on ?? false, user: on == true ? "a@b.c" : nil))
        case .apps(.list):
            exchange.reply(
                AppsReply(apps: [
                    AppsReply.AppRow(app: "a.test", name: "A", version: "1", from: "bundled", pack: nil),
                    AppsReply.AppRow(app: "long.b.test", name: nil, version: nil, from: nil, pack: "2.0"),
                ]))
        case .apps(.uninstall): exchange.fail(ControlError(.refused, "not now"))
        case .apps(.show(let app)):
            exchange.reply(ManifestReply(app: app, version: "1", manifest: ["appDomain": .string(app)]))
        case .apps(let request): exchange.reply(AppReply(app: request.app ?? "", version: "2.0"))
        case .fault: exchange.fail(ControlError(.failed, "not here"))
        case .tasks:
            exchange.reply(TasksReply(machine: .init(load: nil, power: "no-battery"), permitted: ["*"], tasks: []))
        case .wake(let task): exchange.reply(WakeReply(task: task, component: "a/x", outcome: "queued"))
        case .openURL: exchange.reply(OpenURLReply(app: "a", outcome: "after-login"))
        case .events(let request):
            let event = EventEntry(
                number: 8, time: LogTime(milliseconds: 0), kind: .componentDied, component: "a/x", generation: 2,
                fields: ["cause": "killed"])
            let events = [EventEntry.lost(1, through: 7), event]
            guard request.follow else {
                let isFirst = request.since == nil
                return exchange.reply(EventsReply(events: isFirst ? [events[0]] : [event], next: 7, more: isFirst))
            }
            exchange.replyAndStream(EventsReply(events: [], next: 0, more: true))
            for event in events { exchange.send(event) }
        case .audit:
            do {
                exchange.reply(AuditReply(records: try Self.audited.map { try AuditRecord(json: $0) }))
            } catch {
                exchange.fail(ControlError(.failed, "\(error)"))
            }
        case .status:
            exchange.reply(
                StatusReply(
                    version: "9", pid: 1, uptime: 1, state: "running", login: "not-logged-in",
                    places: StatusReply.Places(data: "/", socket: "/"), components: [], ports: [],
                    logs: StatusReply.Logs(written: 0, lost: 0, dropped: 0)))
        case .shutdown, .reload: exchange.fail(ControlError(.failed, "cannot"))
        case .version: break
        }
    }

    static let audited: [JSONValue] = [
        [
            "time": "1970-01-01T00:00:00.000Z", "verb": "kill", "arguments": ["id": "a/x", "signal": "SIGKILL"],
            "pid": 12, "uid": 1000, "command": "corehost", "outcome": "done", "took": 1.5,
        ],
        [
            "time": "1970-01-01T00:00:01.000Z", "verb": "stop", "arguments": ["id": "x"], "pid": 13, "uid": 0,
            "command": "", "outcome": "failed", "code": 3, "message": "no such", "took": 0.2,
        ],
    ]

    func audit(_ entry: AuditEntry) {}
    func report(_ text: String, caller: Peer?) {}

    private func row(_ state: String) -> ComponentRow {
        ComponentRow(
            id: "a/x", app: "a", entry: "/x", kind: "startup", state: state, wanted: "up", pid: 1, generation: 1,
            restarts: 0)
    }

    private func line(_ number: Int) -> LogEntry {
        LogEntry(
            LogLine(
                time: LogTime(milliseconds: 0), level: .info, source: .supervisor, stream: .supervisor,
                text: "line \(number)", fields: ["k": "v"]))
    }
}
