import Control
import Foundation
import TestSupport
import Testing

/// Users of real supervisors, by the command line.
@Suite struct LoginTests {
    private static let ada = "ada@example.org"
    private static let bob = "bob@example.org"

    @Test func usersSignUpLogOutAndLogIn() throws {
        let accounts = try Accounts()
        let supervisor = accounts.supervisor
        #expect(try accounts.status().login == "not-logged-in")
        #expect(
            try supervisor.corehost("users").lines == ["there are no users yet; `corehost signup ADDRESS` makes one"])
        #expect(try accounts.corehost("signup", Self.ada, "a secret").lines == ["\(Self.ada) is logged in"])
        try supervisor.line("component ready", about: "e.test/e.mjs")
        let status = try accounts.status()
        #expect(status.login == "logged-in" && status.user == Self.ada)
        let loggedOut = "\(Self.ada) is logged out, and is not logged in automatically"
        #expect(try supervisor.corehost("logout").lines == [loggedOut])
        #expect(try supervisor.ps().isEmpty)
        #expect(try accounts.corehost("signup", Self.bob, "b secret").code == 0)
        #expect(try accounts.users().map(\.address) == [Self.ada, Self.bob])
        #expect(try accounts.users().map(\.isLoggedIn) == [false, true])
        #expect(try supervisor.corehost("logout").code == 0)
        #expect(try accounts.corehost("signup", Self.ada, "other").code == 6)
        let wrong = try accounts.corehost("login", Self.ada, "b secret")
        #expect(wrong.code == 6)
        #expect(wrong.lines == ["corehost: the password is not that of \(Self.ada); try again"])
        #expect(try accounts.corehost("login", "ADA@example.org", "a secret").lines == ["\(Self.ada) is logged in"])
        let again = try accounts.corehost("login", Self.bob, "b secret")
        #expect(again.code == 6)
        #expect(again.lines == ["corehost: \(Self.ada) is logged in; `corehost logout` comes first"])
        #expect(try supervisor.end() == 0)
        for secret in ["a secret", "b secret"] {
            #expect(!supervisor.program.lines.contains { $0.contains(secret) })
        }
    }

    @Test func commandsBeforeALoginSayHowToLogIn() throws {
        let accounts = try Accounts()
        let text = "corehost: nobody is logged in; log in with `corehost login ADDRESS`, `corehost users` lists whom"
        for command in [
            ["start", "e.test"], ["stop", "e.test"], ["inspect", "e.test"], ["call", "e.test", "Echo", "echo"],
        ] {
            let refused = try RunningSupervisor.corehost(command, ["COREHOST_SOCKET": accounts.supervisor.socket])
            #expect(refused.code == 6 && refused.lines == [text])
        }
        #expect(try accounts.supervisor.corehost("logout").lines == ["corehost: nobody is logged in"])
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func ofTwoLoginsAtOnceOneIsDoneAndOneIsRefused() throws {
        let accounts = try Accounts()
        #expect(try accounts.corehost("signup", Self.ada, "a").code == 0)
        #expect(try accounts.supervisor.corehost("logout").code == 0)
        let logins = try (0..<2).map { _ in try accounts.begin("login", Self.ada, "a") }
        #expect(try logins.map { try $0.waitForExit() }.sorted() == [0, 6])
        #expect(try accounts.status().user == Self.ada)
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func aLoginUnderWayIsSeenRefusesOthersAndCanBeGivenUp() throws {
        let held = try HeldLogins()
        let accounts = try Accounts(resources: held.resources)
        let first = try accounts.begin("signup", Self.ada, "a")
        try held.wait(accounts)
        #expect(try accounts.status().login == "logging-in")
        let second = try accounts.corehost("login", Self.bob, "b")
        #expect(second.code == 6)
        #expect(second.lines.first?.hasPrefix("corehost: a login of \(Self.ada) has been under way for ") == true)
        let early = try accounts.supervisor.corehost("start", "e.test")
        #expect(early.lines == ["corehost: a login is under way; `corehost status` shows when it is done"])
        #expect(try accounts.supervisor.corehost("logout").code == 0)
        #expect(try first.waitForExit() == 6)
        #expect(first.lines == ["corehost: the login was given up by a logout"])
        try held.release(accounts)
        #expect(try accounts.corehost("signup", Self.bob, "b").code == 0)
        #expect(try accounts.status().user == Self.bob)
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func aClientKilledInTheMiddleOfALoginLeavesItToGoOn() throws {
        let held = try HeldLogins()
        let accounts = try Accounts(resources: held.resources)
        let client = try accounts.begin("signup", Self.ada, "a")
        try held.wait(accounts)
        client.signal(SIGKILL)
        #expect(try client.waitForExit() == -SIGKILL)
        try accounts.supervisor.program.line { $0.contains("signup: the caller left before the answer") }
        try held.release(accounts)
        try accounts.supervisor.line("platform running")
        #expect(try accounts.status().user == Self.ada)
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func aShutdownInTheMiddleOfALoginDoesNotWaitForIt() throws {
        let held = try HeldLogins()
        let accounts = try Accounts(resources: held.resources)
        let client = try accounts.begin("signup", Self.ada, "a")
        try held.wait(accounts)
        #expect(try accounts.supervisor.end() == 0)
        #expect(try client.waitForExit() == 6)
        #expect(client.lines == ["corehost: the platform is shutting down; start it again with `corehost run`"])
    }

    @Test func aLogoutWhileComponentsStartClosesThem() throws {
        let accounts = try Accounts(
            apps: SmallApps.app(
                "slow.test",
                [
                    "slow.mjs": "console.log('starts'); await new Promise(() => {}); for (;;);",
                    "loops.mjs": "console.log('loops'); for (;;);",
                ]))
        #expect(try accounts.corehost("signup", Self.ada, "a").code == 0)
        try accounts.supervisor.console("loops", of: "slow.test/loops.mjs")
        #expect(try accounts.supervisor.corehost("logout").code == 0)
        #expect(try accounts.supervisor.componentProcesses().isEmpty)
        #expect(try accounts.supervisor.ps().isEmpty)
        for id in ["slow.test/slow.mjs", "slow.test/loops.mjs"] {
            let down = try accounts.supervisor.line("component down", about: id).text
            #expect(down.contains("closed because the user logged out"), "\(down)")
        }
        #expect(try accounts.corehost("login", Self.ada, "a").code == 0)
        #expect(try accounts.supervisor.ps().map(\.generation) == [1, 1])
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func automaticLoginOutlivesARestartButNotItsKeyNorALogout() throws {
        var accounts = try Accounts()
        let folder = accounts.supervisor.folder
        #expect(try accounts.corehost("signup", Self.ada, "a").code == 0)
        #expect(try accounts.supervisor.corehost("autologin").lines == ["automatic login is off"])
        let on = try accounts.supervisor.corehost("autologin", "on")
        #expect(on.lines == ["automatic login is on for \(Self.ada)"])
        #expect(try accounts.supervisor.end() == 0)

        accounts = try Accounts(folder: folder)
        try accounts.supervisor.line("platform running")
        #expect(try accounts.users() == [.init(address: Self.ada, isLoggedIn: true, isAutomatic: true)])
        #expect(try accounts.supervisor.end() == 0)

        let keys = accounts.supervisor.data + "/keys"
        for name in try FileManager.default.contentsOfDirectory(atPath: keys) {
            try FileManager.default.removeItem(atPath: "\(keys)/\(name)")
        }
        accounts = try Accounts(folder: folder)
        #expect(try accounts.status().problems.first?.hasPrefix("the automatic login cannot be opened: ") == true)
        let wrong = try accounts.corehost("login", Self.ada, "b")
        #expect(wrong.code == 6)
        // The address is known to nobody but the password now.
        #expect(try accounts.corehost("login", Self.ada, "a").code == 0)
        #expect(try accounts.status().problems.isEmpty)
        #expect(try accounts.supervisor.corehost("autologin", "on").code == 0)
        #expect(try accounts.supervisor.corehost("logout").code == 0)
        #expect(try accounts.supervisor.end() == 0)

        accounts = try Accounts(folder: folder)
        #expect(try accounts.status().login == "not-logged-in")
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func aRunForOneUserRefusesOthersAndTheirAutomaticLogin() throws {
        var accounts = try Accounts()
        let folder = accounts.supervisor.folder
        #expect(try accounts.corehost("signup", Self.ada, "a").code == 0)
        #expect(try accounts.supervisor.corehost("autologin", "on").code == 0)
        #expect(try accounts.supervisor.end() == 0)

        accounts = try Accounts(options: ["--user", Self.bob], folder: folder)
        let problem =
            "automatic login is set for \(Self.ada), and this run is for \(Self.bob) alone; log in with "
            + "`corehost login \(Self.bob)`, or run without --user"
        #expect(try accounts.status().problems == [problem])
        let refused = try accounts.corehost("login", Self.ada, "a")
        #expect(refused.code == 6)
        #expect(
            refused.lines == [
                "corehost: this supervisor was started for \(Self.bob) alone (run --user); start another one for other "
                    + "users"
            ])
        #expect(try accounts.corehost("signup", Self.bob, "b").code == 0)
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func aLocalRunKnowsNoLogins() throws {
        let supervisor = try RunningSupervisor(apps: Accounts.oneApp)
        let accounts = try supervisor.folder.write("a\n", to: "password")
        chmod(accounts, 0o600)
        for command in [["login", Self.ada, "--password-file", accounts], ["logout"], ["autologin", "on"]] {
            let refused = try RunningSupervisor.corehost(command, ["COREHOST_SOCKET": supervisor.socket])
            #expect(refused.code == 6)
            #expect(
                refused.lines == [
                    "corehost: this supervisor runs with a local user; for accounts start it without --local"
                ])
        }
        #expect(try supervisor.end() == 0)
    }

    @Test func aCallOfTheCoreThatNeverAnswersIsToldAndNotWaitedFor() throws {
        let probe = try CoreProbe(
            before: """

                (() => {
                const call = globalThis.__coreCallAsync;
                globalThis.__coreCallAsync = async (name, arg) => name === 'listUsers'
                    ? new Promise(() => {}) : call(name, arg);
                })();
                """)
        let accounts = try Accounts(resources: probe.path)
        let users = Background { try accounts.users() }
        try accounts.supervisor.program.line(within: .seconds(60)) {
            $0.contains("a call of the core does not answer") && $0.contains("call: listUsers")
        }
        #expect(try accounts.status().calls.map(\.name) == ["listUsers"])
        #expect(throws: ControlError.self) { try users.value() }
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func passwordFilesMustBeTheUsersOwn() throws {
        let accounts = try Accounts()
        let path = try accounts.passwordFile("a")
        let socket = ["COREHOST_SOCKET": accounts.supervisor.socket]
        func signUp(_ arguments: String...) throws -> (code: Int32, lines: [String]) {
            try RunningSupervisor.corehost(["signup", Self.ada] + arguments, socket)
        }
        chmod(path, 0o640)
        #expect(
            try signUp("--password-file", path).lines == [
                "corehost: \(path) can be read or changed by others; `chmod 600 \(path)` keeps it to you"
            ])
        #expect(
            try signUp("--password-file", path + "x").lines == [
                "corehost: \(path)x cannot be opened: No such file or directory"
            ])
        #expect(
            try signUp("--password-file", "/dev/null").lines == [
                "corehost: /dev/null is no file; name one with the password in it"
            ])
        #expect(
            try signUp("--password-fd", "77").lines == [
                "corehost: the password cannot be read from descriptor 77: Bad file descriptor"
            ])
        #expect(try signUp("--password-fd", "0").lines == ["corehost: the password is empty"])
        let long = try accounts.passwordFile(String(repeating: "x", count: 1025))
        #expect(
            try signUp("--password-file", long).lines == [
                "corehost: the password in \(long) is longer than 1024 bytes; use a shorter one"
            ])
        #expect(try accounts.status().login == "not-logged-in")
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func urlsAreRefusedInWordsOrKeptForTheLogin() throws {
        let accounts = try Accounts(
            apps: SmallApps.together(
                Accounts.oneApp,
                [
                    "page.test/manifest.json": #"{"appDomain": "page.test", "version": "1.0.0", "name": "Page"}"#,
                    "page.test/app/index.html": "<p>page</p>",
                ]))
        let supervisor = accounts.supervisor
        let none = try supervisor.corehost("open-url", "https://page.test")
        #expect(none.code == 6)
        #expect(none.lines.first?.hasPrefix(#"corehost: "https://page.test" does not begin with w3n://; "#) == true)
        #expect(try supervisor.corehost("open-url", "w3n://page.test").lines == ["page.test opens after the login"])
        #expect(try accounts.corehost("signup", Self.ada, "a").code == 0)
        try supervisor.line("a window was asked for; there is none here", about: "page.test/index.html")
        #expect(
            try supervisor.corehost("open-url", "w3n://page.test").lines == [
                "corehost: page.test opens in a window, and this platform has none to show it in"
            ])
        #expect(
            try supervisor.corehost("open-url", "w3n://e.test").lines == [
                "corehost: e.test is no app here that has a page"
            ])
        #expect(try supervisor.corehost("open-url", "w3n://e.test/command").code == 6)
        #expect(try supervisor.end() == 0)
    }
}
