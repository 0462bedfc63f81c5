import CoreHosting
import EventLoop
import Foundation
import JSEngine
import TestSupport
import Testing

/// Behaviour stated in JavaScript, in the words of `Scripts/words.js`: each file of `Scripts/Wire` with both sides of
/// the envelope protocol, each of `Scripts/Storage` with a platform over real files, called from a component.
@Suite struct CapabilityTests {
    static func files(_ folder: String) -> [String] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts/\(folder)").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".js") }.sorted()
    }

    @Test func thereAreFiles() { #expect(Self.files("Wire").count > 0 && Self.files("Storage").count > 8) }

    @Test(arguments: files("Wire")) func holdsOnTheWire(_ file: String) throws {
        let (checks, uncaught) = try withBothSides { engine, log in
            Self.giveCollector(to: engine)
            try engine.load(test: "Scripts/words.js")
            try engine.load(test: "Scripts/Wire/\(file)")
            return (try engine.settle("runChecks()"), log.uncaught.map { "\($0.kind): \($0.error)" })
        }
        #expect(checks != "0")
        #expect(uncaught == [])
    }

    @Test(arguments: files("Storage")) func holdsForAComponent(_ file: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "corehost-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // what stays is in the system's temporary folder
        let (checks, uncaught) = try withEngine(label: "core") { engine, log in
            let files = try FsInjectedFns(baseDir: folder.path, loop: engine.loop)
            files.registerAll(on: engine)
            let cryptor = CryptorInjectedFns(loop: engine.loop)
            cryptor.registerAll(on: engine)
            defer {
                files.close()
                cryptor.close()
            }
            engine.provideScripts { try Scripts.resource("js/\($0)") }
            Self.giveCollector(to: engine)
            for path in ["js/common-preload.js", "js/device-fs.js"] { try engine.load(resource: path) }
            try engine.load(test: "Scripts/storage.js")
            // Storage before `core.js`, which would ask for it when a user is there.
            let core =
                try Scripts.wholeBundle("ipc") + (try Scripts.wholeBundle("core").dropLast())
                + (try Scripts.wholeBundle("later"))
            for path in ["js/core-cryptor.js"] + core + (try Scripts.bundle("client")) {
                try engine.load(resource: path)
            }
            for path in ["Scripts/pair.js", "Scripts/words.js", "Scripts/Storage/\(file)"] {
                try engine.load(test: path)
            }
            return (
                try engine.settle("runChecks()", limit: .seconds(120)), log.uncaught.map { "\($0.kind): \($0.error)" }
            )
        }
        #expect(checks != "0")
        #expect(uncaught == [])
    }

    private static func giveCollector(to engine: JSEngineHost) {
        let collect = engine.makeFunction { _ in
            engine.collectNow()
            return engine.boolean(true)
        }
        engine.global.set("collectGarbage", collect)
    }
}
