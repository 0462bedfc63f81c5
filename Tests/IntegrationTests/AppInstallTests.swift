import Control
import Foundation
import TestSupport
import Testing

/// Apps that come and go while the platform runs, by a system app's component, in processes.
@Suite struct AppInstallTests {
    private static let id = "b.test/main.js"

    private static func app(_ version: String, _ code: String = SmallApps.echo) -> [String: String] {
        var files = SmallApps.app("b.test", ["main.js": code], services: ["main.js": ["Echo"]])
        files["b.test/manifest.json"] = files["b.test/manifest.json"]?
            .replacing(#""version": "1.0.0""#, with: #""version": "\#(version)""#)
        return files
    }

    @Test func anInstalledAppRunsWithoutARestartAndIsGoneAfterwards() throws {
        let platform = try AppPlatform(packs: Self.app("1.2.0"))
        let supervisor = platform.supervisor
        #expect(throws: ControlError.self) { try supervisor.call("b.test", "Echo", "echo", [1]) }
        let installed = try platform.evaluate(
            """
            const { installer, opener } = w3n.system.apps;
            await add('b.test');
            const state = await installer.installApp('b.test', '1.2.0');
            return [state, await installer.listBundledApps(), await opener.listCurrentApps()];
            """)
        #expect(
            JSONWriter.text(installed)
                == #"["all-done",[{"id":"b.test","version":"1.2.0"}],[{"id":"admin.test","version":"1.0.0"},"#
                + #"{"id":"b.test","version":"1.2.0"}]]"#)
        #expect(try supervisor.row(Self.id).state == "down")
        #expect(try supervisor.call("b.test", "Echo", "echo", [7]) == 7)
        #expect(try supervisor.inspect(Self.id).version == "1.2.0")
        let pid = try #require(try supervisor.row(Self.id).pid)
        _ = try platform.evaluate("await w3n.system.apps.installer.uninstallApp('b.test')")
        try supervisor.wait(for: "the component's end") { try supervisor.ps().map(\.id) == ["admin.test/main.js"] }
        try supervisor.wait(for: "the process's end") { kill(Int32(pid), 0) != 0 }
        #expect(throws: ControlError.self) { try supervisor.call("b.test", "Echo", "echo", [1]) }
        #expect(try supervisor.corehost("inspect", Self.id).code == 3)
        _ = try platform.evaluate("await w3n.system.apps.installer.installApp('b.test', '1.2.0')")
        #expect(try supervisor.corehost("start", Self.id).code == 0)
        #expect(try supervisor.end() == 0)
    }

    @Test func anInstalledAppIsThereAfterARestartAndItsStartUpComponentsStart() throws {
        let folder = try TemporaryFolder()
        do {
            let platform = try AppPlatform(packs: Self.app("1.2.0"), folder: folder)
            _ = try platform.evaluate(
                "await add('b.test'); await w3n.system.apps.installer.installApp('b.test', '1.2.0')")
            // Without leave: what was answered is on the disk.
            platform.supervisor.program.signal(SIGKILL)
            _ = try platform.supervisor.program.waitForExit()
        }
        let platform = try AppPlatform(folder: folder)
        try platform.supervisor.line("component ready", about: Self.id)
        #expect(try platform.supervisor.call("b.test", "Echo", "echo", [7]) == 7)
        #expect(try platform.supervisor.end() == 0)
    }

    @Test func anUpdateRunsOnceTheOldComponentsAreClosed() throws {
        let folder = try TemporaryFolder()
        let platform = try AppPlatform(packs: Self.app("1.9.0"), folder: folder)
        let supervisor = platform.supervisor
        _ = try platform.evaluate(
            """
            await add('b.test');
            await w3n.system.apps.installer.installApp('b.test', '1.9.0');
            await w3n.system.apps.opener.triggerAllStartupLaunchers();
            """)
        let old = try supervisor.pid(Self.id)
        try FileManager.default.removeItem(atPath: folder.path + "/packs/b.test")
        let code = "w3nRPC.serve('Echo', { echo: async value => [value, await w3n.myVersion()] });"
        try AppPlatform.pack(Self.app("1.10.0", code), in: folder)
        let state = try platform.evaluate(
            "await add('b.test'); return w3n.system.apps.installer.installApp('b.test', '1.10.0')")
        #expect(state == "need-restart")
        #expect(try supervisor.call("b.test", "Echo", "echo", [7]) == 7)
        _ = try platform.evaluate("await w3n.system.apps.opener.closeAppsAfterUpdate(['b.test'])")
        #expect(try supervisor.call("b.test", "Echo", "echo", [7]) == [7, "1.10.0"])
        try supervisor.wait(for: "the old process's end") { kill(old, 0) != 0 }
        #expect(try supervisor.row(Self.id).wanted == "up")
        #expect(try supervisor.inspect(Self.id).version == "1.10.0")
        #expect(try supervisor.end() == 0)
    }
}
