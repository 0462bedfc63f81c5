import CoreHosting
import Foundation
import JSEngine
import TestSupport
import Testing

/// Runs `script`, the body of an async function, in a context with the scripts of the embedded core over the folder's
/// `fs`; what it returns, as JSON. `Scripts/tree-fixture.js` says what there is.
func onTree(_ folder: TemporaryFolder, scripts: [String] = [], _ script: String) throws -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let resources = tests.appending(path: "../../Resources").standardizedFileURL
    return try withPorts(folder) { engine, _ in
        let cryptor = CryptorInjectedFns(loop: engine.loop)
        cryptor.registerAll(on: engine)
        defer { cryptor.close() }
        engine.provideScripts { try String(contentsOf: resources.appending(path: "js/\($0)"), encoding: .utf8) }
        let bundle = try JSONDecoder().decode(
            [String: [String]].self, from: Data(contentsOf: resources.appending(path: "core/bundle.json")))
        // Storage before `core.js`, which would ask for it when a user is there.
        let last = (bundle["core"] ?? []).suffix(1)
        let before = (bundle["ipc"] ?? []) + (bundle["core"] ?? []).dropLast() + (bundle["later"] ?? [])
        let core = (before + last).map { "core/\($0)" }
        let ours = ["tree-fixture.js"] + scripts
        let files =
            ["js/common-preload.js", "js/device-fs.js"].map { resources.appending(path: $0) }
            + ours.prefix(1).map { tests.appending(path: "Scripts/\($0)") }
            + [resources.appending(path: "js/core-cryptor.js")]
            + core.map { resources.appending(path: $0) }
            + ours.dropFirst().map { tests.appending(path: "Scripts/\($0)") }
        for file in files {
            try engine.evaluate(try String(contentsOf: file, encoding: .utf8), sourceName: file.lastPathComponent)
        }
        return try engine.settle("(async () => { \(script)\n })()", limit: .seconds(240))
    }
}
