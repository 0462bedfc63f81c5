import CoreHosting
import Foundation
import JSEngine
import TestSupport
import Testing

/// Contexts as the core's, with `Tests/Fixtures/fake-platform.js` in the place of the native side.
enum CoreContext {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    private static let resources = root.appending(path: "../../Resources").standardizedFileURL

    /// Path under `Resources` → text, as JSON.
    private static let sources: Result<String, any Error> = Result {
        var texts: [String: String] = [:]
        let paths = try FileManager.default.subpathsOfDirectory(atPath: resources.path)
        for path in paths where [".js", ".mjs", ".json"].contains(where: path.hasSuffix) {
            texts[path] = try String(contentsOf: resources.appending(path: path), encoding: .utf8)
        }
        return String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }

    /// Runs `script` as the body of an async function; fails with what it throws, and when anything was left uncaught.
    /// With `folder` there is `nativeDisk`, to stand for a `Disk`: the real file ports over that folder.
    static func run(_ script: String, filesIn folder: String? = nil) throws {
        let sources = try sources.get()
        let fixture = try String(contentsOf: root.appending(path: "../Fixtures/fake-platform.js"), encoding: .utf8)
        try withEngine(label: "core") { engine, log in
            let files = try folder.map { try FsInjectedFns(baseDir: $0, loop: engine.loop) }
            files?.registerAll(on: engine)
            let cryptor = CryptorInjectedFns(loop: engine.loop)
            cryptor.registerAll(on: engine)
            defer {
                files?.close()
                cryptor.close()
            }
            engine.global.set("sources", try #require(engine.value(fromJSON: sources)))
            try engine.evaluate(
                """
                __native.loadScript = path => (0, eval)(sources[`js/${path}`]);
                (0, eval)(`${sources['js/common-preload.js']}\\n//# sourceURL=common-preload.js`);
                """, sourceName: "fixture.js")
            try engine.evaluate(fixture, sourceName: "fake-platform.js")
            if files != nil {
                try engine.evaluate(
                    "globalThis.nativeDisk = { call: __nativeCallDispatch }", sourceName: "fixture.js")
            }
            _ = try engine.settle("(async () => {\n\(script)\n})()")
            #expect(log.uncaught.map { "\($0.kind): \($0.error)" } == [])
        }
    }
}
