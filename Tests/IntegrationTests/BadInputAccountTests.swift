import Control
import FoundationEssentials
import TestSupport
import Testing

/// Data folders that another version, another device or a bad disk has left: what a real supervisor makes of them.
@Suite struct BadInputAccountTests {
    private static let ada = "ada@example.org"
    private static let code = """
        w3nRPC.serve('Files', {
            write: async (name, text) => (await w3n.storage.getAppLocalFS()).writeTxtFile(name, text),
            read: async name => (await w3n.storage.getAppLocalFS()).readTxtFile(name),
        });
        """
    private static let apps = SmallApps.app("f.test", ["f.mjs": code], services: ["f.mjs": ["Files"]])

    /// A folder in which ada has signed up and a component has kept two files; the supervisor has ended.
    private func usedFolder() throws -> (folder: TemporaryFolder, data: String) {
        let accounts = try Accounts(apps: Self.apps)
        #expect(try accounts.corehost("signup", Self.ada, "a").code == 0)
        try accounts.supervisor.line("component ready", about: "f.test/f.mjs")
        for name in ["one", "two"] {
            _ = try accounts.supervisor.call("f.test", "Files", "write", [.string(name), .string("text of \(name)")])
        }
        #expect(try accounts.supervisor.corehost("autologin", "on").code == 0)
        #expect(try accounts.supervisor.end() == 0)
        return (accounts.supervisor.folder, accounts.supervisor.data)
    }

    private func files(in folder: String, named test: (String) -> Bool) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter(test).map { "\(folder)/\($0)" }.sorted()
    }

    private func change(_ path: String, _ edit: (inout [UInt8]) -> Void) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        edit(&bytes)
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test(arguments: [
        (#"{"format": 99}"#, "the data folder has format 99, made by a newer version"),
        (#"{"format": 1}"#, "the data folder has format 1, of a test version"),
        ("{", "has no format number but"),
    ])
    func aFolderOfAnotherVersionEndsTheStartAndStaysAsItIs(format: String, words: String) throws {
        let (folder, data) = try usedFolder()
        try Data(format.utf8).write(to: URL(filePath: data + "/fs/format.json"))
        let supervisor = try RunningSupervisor(isLocal: false, folder: folder, waitsForPlatform: false)
        #expect(try supervisor.program.waitForExit() == 13)
        let failed = supervisor.program.lines.filter { $0.contains("boot failed") }
        #expect(failed.count == 1 && failed[0].contains("\(data)/fs/format.json: \(words)"), "\(failed)")
        #expect(try String(contentsOfFile: data + "/fs/format.json", encoding: .utf8) == format)
    }

    @Test func aDamagedAccountIsNamedWhereUsersAreListedAndSignIn() throws {
        let (folder, data) = try usedFolder()
        let file = try #require(try files(in: data + "/fs/users") { $0.hasSuffix("/account.json") }.first)
        try change(file) { $0[$0.count / 2] ^= 1 }
        let accounts = try Accounts(apps: Self.apps, folder: folder)
        let users = try accounts.supervisor.corehost("users")
        #expect(users.code == 0 && users.lines.count == 1)
        #expect(users.lines[0].contains("\(file): was changed or is not whole; restore it from a backup"))
        let login = try accounts.corehost("login", Self.ada, "a")
        #expect(login.code == 1 && login.lines.last?.contains("account.json: was changed or is not whole") == true)
        // Others are not affected.
        #expect(try accounts.corehost("signup", "bob@example.org", "b").code == 0)
        #expect(try accounts.users().map(\.address) == ["bob@example.org"])
        #expect(try accounts.supervisor.end() == 0)
    }

    /// What is copied to another device has the files and not the keys; damaged keys are the same to it.
    @Test(arguments: [true, false]) func withoutTheDevicesKeysThePasswordOpens(areGone: Bool) throws {
        let (folder, data) = try usedFolder()
        for key in try files(in: data + "/keys", named: { $0.hasSuffix(".key") }) {
            if areGone { try FileManager.default.removeItem(atPath: key) } else { try change(key) { $0 = [1, 2, 3] } }
        }
        let accounts = try Accounts(apps: Self.apps, folder: folder)
        let problem = try #require(try accounts.status().problems.first)
        #expect(problem.hasPrefix("the automatic login cannot be opened: "))
        let users = try accounts.supervisor.corehost("users").lines
        #expect(users.count == 1 && users[0].contains("the user can sign in with address and password"), "\(users)")
        if !areGone { #expect(users[0].contains(".key has 3 bytes")) }
        #expect(try accounts.corehost("login", Self.ada, "wrong").code == 6)
        #expect(try accounts.corehost("login", Self.ada, "a").code == 0)
        try accounts.supervisor.line("component ready", about: "f.test/f.mjs")
        #expect(try accounts.supervisor.call("f.test", "Files", "read", ["one"]) == "text of one")
        // A key that is damaged is never replaced by another; one that is gone is made anew.
        #expect(try accounts.users().map(\.address) == (areGone ? [Self.ada] : []))
        let on = try accounts.supervisor.corehost("autologin", "on")
        #expect(on.code == (areGone ? 0 : 1))
        if !areGone { #expect(on.lines.last?.contains("restore it from a backup, or remove it") == true) }
        #expect(try accounts.supervisor.end() == 0)
    }

    @Test func aDamagedFileOfAnAppIsItsOwnAlone() throws {
        let (folder, data) = try usedFolder()
        let trees = try files(in: data + "/fs/users") { $0.contains("/trees/") && $0.contains("/files/") }
        let stored = trees.filter { (try? Data(contentsOf: URL(filePath: $0)))?.isEmpty == false }
        for file in stored { try change(file) { $0[$0.count - 1] ^= 1 } }
        let accounts = try Accounts(apps: Self.apps, folder: folder)
        try accounts.supervisor.line("component ready", about: "f.test/f.mjs")
        for name in ["one", "two"] {
            let refused = #expect(throws: ControlError.self) {
                try accounts.supervisor.call("f.test", "Files", "read", [.string(name)])
            }
            let exception = refused?.data["exception"]
            #expect(exception?["code"] == "EIO" && exception?["damaged"] == true && exception?["path"] == .string(name))
        }
        #expect(accounts.supervisor.program.lines.contains { $0.contains("/files/") })
        // It is replaced by writing it anew.
        _ = try accounts.supervisor.call("f.test", "Files", "write", ["one", "again"])
        #expect(try accounts.supervisor.call("f.test", "Files", "read", ["one"]) == "again")
        #expect(try accounts.supervisor.end() == 0)
    }
}
