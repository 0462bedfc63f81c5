import CoreHosting
import Foundation
import JSEngine
import TestSupport
import Testing

/// Runs `script`, the body of an async function, with `fs`, which is `platform.device_fs` over the folder's `fs`, and
/// what `withPorts` gives; what it returns, as JSON.
func onDeviceFs(_ folder: TemporaryFolder, scripts: [String] = [], _ script: String) throws -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let resources = tests.appending(path: "../../Resources/js").standardizedFileURL
    return try withPorts(folder) { engine, _ in
        engine.provideScripts { try String(contentsOf: resources.appending(path: $0), encoding: .utf8) }
        for file in [resources.appending(path: "common-preload.js"), resources.appending(path: "device-fs.js")]
            + scripts.map({ tests.appending(path: "Scripts/\($0)") })
        {
            try engine.evaluate(try String(contentsOf: file, encoding: .utf8), sourceName: file.lastPathComponent)
        }
        return try engine.settle("(async fs => { \(script) })(platform.device_fs)")
    }
}
