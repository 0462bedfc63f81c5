import EventLoop
import Foundation
import JSEngine
import PlatformScripts
import TestSupport
import Testing

/// What the globals of every context do, stated in JavaScript: each file of `Globals/` in a context made like the core's
/// and in one made like a component's. `Scripts/checks.js` has the words they use.
@Suite struct GlobalVectorTests {
    enum Kind: String, CaseIterable {
        case core, component

        var scripts: [String] {
            get throws {
                switch self {
                case .core:
                    ["js/common-preload.js", "js/device-fs.js"] + (try Scripts.wholeBundle("core"))
                        + PlatformScripts.aboveCore
                case .component:
                    ["js/common-preload.js"] + (try Scripts.wholeBundle("client")) + ["js/app-preload.js"]
                }
            }
        }
    }

    static let files: [String] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Globals")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".js") }.sorted()
    }()

    @Test func thereAreFiles() { #expect(Self.files.count > 10) }

    @Test(arguments: files, Kind.allCases) func holds(in file: String, of kind: Kind) throws {
        let (failures, uncaught) = try withEngine(
            label: kind.rawValue,
            ports: { engine in
                let list = PortSignature(
                    "ipc_listCoreObjPath", [.init("path", .texts)], gives: "promise", throws: "nothing", "Of no core.")
                engine.registerPort(list) { _ in engine.makePromise().value }
            }
        ) { engine, log in
            engine.provideScripts { try Scripts.resource("js/\($0)") }
            engine.global.set("__portSend_core", engine.makeFunction { _ in engine.boolean(true) })
            engine.global.set(
                "nativeCounts",
                engine.makeFunction { _ in
                    engine.collectNow()
                    let use = engine.memoryUse
                    let figures = [use?.objectCount ?? 0, (use?.heapSize ?? 0) + (use?.extraSize ?? 0)]
                    return engine.array(figures) { engine.number(Double($0)) }
                })
            try engine.load(test: "Scripts/checks.js")
            if kind == .core { try PlatformScripts(folder: Scripts.resources.path).provideRest(on: engine) }
            for path in try kind.scripts { try engine.load(resource: path) }
            try engine.load(test: "Globals/\(file)")
            let failures = try engine.settle("runChecks()")
            return (failures, log.uncaught.map { "\($0.kind): \($0.error)" })
        }
        #expect(failures == "[]")
        #expect(uncaught == [])
    }
}
