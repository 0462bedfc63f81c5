import Control
import FoundationEssentials
import TestSupport
import Testing

/// Every member of `shell` and `system`, called by a system app's component in its process, through the wire, with a user
/// who has an account and a service manager's socket in place.
@Suite struct SystemMemberTests {
    private static let domain = "admin.test"
    private static let address = "ada@example.org"

    private static func apps() throws -> [String: String] {
        let code = try String(
            contentsOfFile: RunningSupervisor.repository + "/Tests/Fixtures/every-system-member.mjs", encoding: .utf8)
        return SmallApps.together(
            [
                "\(domain)/manifest.json": #"""
                {"appDomain": "admin.test", "version": "1.0.0", "name": "Admin", "launchOnSystemStartup": [
                   {"component": "/main.js", "name": "m", "icon": "i.png", "description": "d"}],
                 "components": {"/main.js": {"runtime": "deno", "services": {"Members": {}},
                  "startCmds": {"self": {"thisAppComponents": "*"}},
                  "capsRequested": {
                   "system": {"apps": "all", "monitor": "all", "platform": "all", "logout": true, "userLogin": "all",
                    "autoStartup": "all"},
                   "shell": {"startAppCmds": {"thisApp": ["self"], "otherApps": {"giving.test": ["show"]}},
                    "fsResource": {"otherApps": {"giving.test": ["settings"]}}, "userNotifications": true,
                    "openURL": [{"schema": "https", "domain": "example.org"}], "openDashboard": true}}}}}
                """#,
                "\(domain)/app/main.js": code,
                "giving.test/manifest.json": #"""
                {"appDomain": "giving.test", "version": "1.0.0", "name": "Giving",
                 "components": {"/main.js": {"runtime": "deno", "startCmds": {"show": {"otherApps": ["admin.test"]}},
                  "capsRequested": {"storage": {"appFS": "default"}}}},
                 "exposedFSResources": {"settings": {"allow": {"otherApps": "*"}, "appStorage": "local",
                  "path": "s.json", "itemType": "file", "initValueSrc": "first.json"}}}
                """#,
                "giving.test/app/main.js": "w3n.shell.watchStartCmds({ next() {} });",
                "giving.test/app/first.json": #"{"first": 1}"#,
                "launcher.app.privacysafe.io/manifest.json":
                    #"{"appDomain": "launcher.app.privacysafe.io", "version": "1"}"#,
                "launcher.app.privacysafe.io/app/index.html": "<html>",
            ])
    }

    private func accounts() throws -> Accounts {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/packs", withIntermediateDirectories: true)
        try AppPlatform.pack(
            SmallApps.app("b.test", ["main.js": SmallApps.echo], services: ["main.js": ["Echo"]]), in: folder)
        // What a service manager of the user's has; the platform looks only whether it is there.
        try folder.write("", to: "runtime/systemd/private")
        return try Accounts(
            apps: try Self.apps(), options: ["--packs", folder.path + "/packs", "--user", Self.address],
            folder: folder, configuration: #"{"systemApps": ["admin.test"]}"#,
            environment: [
                "XDG_RUNTIME_DIR": folder.path + "/runtime", "XDG_CONFIG_HOME": folder.path + "/config",
            ])
    }

    @Test func everyMemberIsCalledByAComponent() throws {
        let accounts = try accounts()
        let supervisor = accounts.supervisor
        #expect(try accounts.corehost("signup", Self.address, "right").code == 0)
        try supervisor.line("component ready", about: "\(Self.domain)/main.js")
        let answer = try supervisor.call(
            Self.domain, "Members", "run", ["wrong", "right"], within: .seconds(120))
        #expect(try #require(answer["missing"]) == .array([]))
        let called = try #require(answer["called"]?.array).compactMap(\.string)
        #expect(CapabilityMembers.calledBy(CapabilityMembers.system).subtracting(called) == [])
        _ = try supervisor.call(Self.domain, "Members", "end", [false])
        try supervisor.line("a system app logs the user out")
        let down = try supervisor.line("component down", about: "\(Self.domain)/main.js")
        #expect(down.text.contains("closed because the user logged out"), "\(down.text)")
        try supervisor.line("platform waits for a login", from: down.number)
        #expect(try accounts.status().login == "not-logged-in")
        #expect(try supervisor.end() == 0)
    }

    @Test func aLogoutByAnAppMayEndThePlatform() throws {
        let accounts = try accounts()
        #expect(try accounts.corehost("signup", Self.address, "right").code == 0)
        try accounts.supervisor.line("component ready", about: "\(Self.domain)/main.js")
        _ = try accounts.supervisor.call(Self.domain, "Members", "end", [true])
        #expect(try accounts.supervisor.program.waitForExit() == 0)
    }

    /// The list is whole, and what nobody calls has its reason.
    @Test func everyMemberOfEveryCapabilityIsCalledOrHasAReason() {
        let capabilities: Set = [
            "always", "mailerid", "storage", "file system", "versioned file system", "file", "byte source, sink", "rpc",
            "connectivity", "mediaDevices", "shell", "system", "start-up only",
        ]
        #expect(Set(CapabilityMembers.rows.map(\.capability)) == capabilities)
        let names = CapabilityMembers.rows.flatMap(\.members)
        #expect(names.count == Set(names).count)
        for row in CapabilityMembers.rows {
            switch row.caller {
            case CapabilityMembers.all, CapabilityMembers.system: #expect(!row.members.isEmpty)
            case .component(let file): Issue.record("no test runs \(file)")
            case .nobody(let reason): #expect(reason.count > 20, "\(row.members)")
            }
        }
    }
}
