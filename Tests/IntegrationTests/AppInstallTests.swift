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

/// The supervisor is killed while packs are added and apps installed.
@Suite struct AppInstallKillTests {
    private static let files: [String: String] = {
        var files = SmallApps.app("b.test", ["main.js": SmallApps.echo], services: ["main.js": ["Echo"]])
        for number in 1...60 {
            files["b.test/app/parts/\(number % 7)/\(number).js"] = String(repeating: "// \(number)\n", count: 2000)
        }
        return files
    }()

    @Test(arguments: [1, 2]) func whatIsThereIsWhole(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let folder = try TemporaryFolder()
        try AppPlatform.pack(Self.files, in: folder)
        var outcomes: Set<String> = []
        var longest = 0.0
        for round in 0..<12 {
            let platform = try AppPlatform(folder: folder)
            let place = folder.path + "/data/fs/app-packs"
            #expect((try? FileManager.default.contentsOfDirectory(atPath: place + "/.staging")) ?? [] == [])
            let isThere = access(place + "/b.test/1.0.0", F_OK) == 0
            if isThere {
                for (name, text) in Self.files {
                    let path = "data/fs/app-packs/b.test/1.0.0/" + name.dropFirst("b.test/".count)
                    #expect(folder.text(of: path) == text, "seed \(seed), round \(round): \(name)")
                }
            }
            let current = try platform.evaluate("return (await w3n.system.apps.opener.listCurrentApps()).length")
            outcomes.insert("\(isThere) \(JSONWriter.text(current))")
            if current == 2 {
                #expect(isThere)
                #expect(try platform.supervisor.call("b.test", "Echo", "echo", [1]) == 1)
                _ = try platform.evaluate("await w3n.system.apps.installer.uninstallApp('b.test')")
            }
            if isThere { _ = try platform.evaluate("await w3n.system.apps.installer.removeAppPack('b.test', '1.0.0')") }
            let work = Background {
                try platform.evaluate(
                    "await add('b.test'); await w3n.system.apps.installer.installApp('b.test', '1.0.0')")
            }
            // One round takes its time; the others are killed within it.
            if round == 0 {
                let start = ContinuousClock.now
                _ = try work.value()
                longest = (ContinuousClock.now - start) / .microseconds(1)
            }
            usleep(round == 0 ? 0 : UInt32.random(in: 0...UInt32(longest * 1.2), using: &random))
            platform.supervisor.program.signal(SIGKILL)
            _ = try platform.supervisor.program.waitForExit()
            // Answered or not: the kill decides.
            _ = try? work.value()
        }
        #expect(outcomes.isSuperset(of: ["false 1", "true 2"]), "seed \(seed): \(outcomes.sorted())")
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
