import Control
import Foundation
import TestSupport
import Testing

/// `corehost apps` against a running supervisor.
@Suite struct AppsCommandTests {
    private static func app(_ version: String) -> [String: String] {
        var files = SmallApps.app("b.test", ["main.js": SmallApps.echo], services: ["main.js": ["Echo"]])
        files["b.test/manifest.json"] = files["b.test/manifest.json"]?
            .replacing(#""version": "1.0.0""#, with: #""version": "\#(version)""#)
        return files
    }

    @Test func listInstallShowUpdateAndUninstall() throws {
        let folder = try TemporaryFolder()
        let platform = try AppPlatform(packs: Self.app("1.9.0"), folder: folder)
        let supervisor = platform.supervisor
        #expect(
            try supervisor.corehost("apps", "list").lines == [
                "APP         VERSION  FROM     PACK   NAME",
                "admin.test  1.0.0    bundled  -      Test",
                "b.test      -        -        1.9.0  -",
            ])
        #expect(try supervisor.corehost("apps", "install", "b.test").lines == ["b.test 1.9.0: installed"])
        // It launches what the manifest says.
        try supervisor.line("component ready", about: "b.test/main.js")
        let shown = try supervisor.corehost("apps", "show", "b.test")
        #expect(shown.code == 0 && shown.lines.contains { $0.contains(#""appDomain": "b.test""#) })
        try FileManager.default.removeItem(atPath: folder.path + "/packs/b.test")
        try AppPlatform.pack(Self.app("1.10.0"), in: folder)
        let from = supervisor.program.lines.count
        let updated = try supervisor.corehost("apps", "install", "b.test", "--json")
        #expect(
            try JSONParser.parse(updated.lines.joined(separator: "\n"))
                == ["schema": "corehost.app/1", "app": "b.test", "version": "1.10.0"])
        try supervisor.line("component ready", about: "b.test/main.js", from: from)
        #expect(try supervisor.inspect("b.test/main.js").version == "1.10.0")
        #expect(try supervisor.corehost("apps", "uninstall", "b.test").lines == ["b.test 1.10.0: uninstalled"])
        try supervisor.wait(for: "the component's end") { try supervisor.ps().map(\.id) == ["admin.test/main.js"] }
        #expect(try supervisor.end() == 0)
    }

    @Test func whatCannotBeDoneIsSaid() throws {
        let platform = try AppPlatform(packs: Self.app("1.9.0"))
        try platform.folder.write("// changed", to: "packs/b.test/app/main.js")
        let supervisor = platform.supervisor
        let cases: [([String], Int32, String)] = [
            (["apps", "install", "none.test"], 1, "none.test: there is no pack of it; `corehost apps list` shows"),
            (["apps", "install", "b.test"], 1, "b.test: its pack has another size of app/main.js than the"),
            (["apps", "install", "../b.test"], 1, "../b.test: there is no pack of it"),
            (["apps", "uninstall", "admin.test"], 1, "admin.test: it comes with the platform and stays"),
            (["apps", "uninstall", "none.test"], 1, "none.test: there is no such app"),
            (["apps", "show", "none.test"], 1, "none.test: there is no such app"),
            (["apps", "show"], 2, "apps show: which app? `corehost apps list` shows them"),
            (["apps", "remove", "b.test"], 2, "apps: \"remove\" is none of list, install, uninstall, show"),
            (["apps", "list", "b.test"], 2, "apps list: takes no app"),
        ]
        for (arguments, code, message) in cases {
            let result = try RunningSupervisor.corehost(arguments, ["COREHOST_SOCKET": supervisor.socket])
            #expect(result.code == code, "\(arguments): \(result.lines)")
            #expect(result.lines.first?.hasPrefix("corehost: \(message)") == true, "\(arguments): \(result.lines)")
        }
        #expect(platform.folder.names(in: "data/fs/app-packs").filter { $0 != ".staging" } == [])
        #expect(try supervisor.end() == 0)
    }
}
