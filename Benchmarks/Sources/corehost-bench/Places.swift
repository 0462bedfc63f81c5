import Foundation

/// Where everything stands, from the repository's root.
struct Places {
    let root: URL

    var programs: URL { root.appending(path: ".build/release") }
    var resources: URL { root.appending(path: "Resources") }
    var references: References { References(folder: root.appending(path: "Benchmarks/.build/references")) }
    var messageApps: URL { root.appending(path: "Benchmarks/Apps") }
    var textApps: URL { root.appending(path: "Benchmarks/TextApps") }
    var storageApps: URL { root.appending(path: "Benchmarks/StorageApps") }

    /// A copy of the repository's resources in which the scripts of a folder of `Benchmarks` stand for those of that name.
    func resources(with folder: String, in scratch: Scratch) throws -> URL {
        let result = scratch.folder.appending(path: "resources")
        let replacements = root.appending(path: "Benchmarks/\(folder)/js")
        let files = FileManager.default
        try files.copyItem(at: resources, to: result)
        for name in try files.contentsOfDirectory(atPath: replacements.path) {
            let target = result.appending(path: "js/\(name)")
            try files.removeItem(at: target)
            try files.copyItem(at: replacements.appending(path: name), to: target)
        }
        return result
    }

    /// An empty apps folder.
    func noApps(in scratch: Scratch) throws -> URL {
        let apps = scratch.folder.appending(path: "apps")
        try FileManager.default.createDirectory(at: apps, withIntermediateDirectories: true)
        return apps
    }

    /// An apps folder with one app of `count` small start-up components.
    func idleApps(_ count: Int, in scratch: Scratch) throws -> URL {
        let domain = "idle.bench"
        let apps = scratch.folder.appending(path: "apps")
        let code = apps.appending(path: "\(domain)/app")
        try FileManager.default.createDirectory(at: code, withIntermediateDirectories: true)
        let names = (0..<count).map { "/idle\($0).js" }
        for name in names {
            try Data("globalThis.isIdle = true;\n".utf8).write(to: code.appending(path: name))
        }
        let startUp = names.map { ["component": $0, "name": $0, "icon": "", "description": "Does nothing"] }
        let manifest: [String: Any] = [
            "appDomain": domain, "version": "1.0.0", "name": "Idle", "description": "Does nothing",
            "components": Dictionary(uniqueKeysWithValues: names.map { ($0, ["runtime": "deno"]) }),
            "launchOnSystemStartup": startUp,
        ]
        try JSONSerialization.data(withJSONObject: manifest)
            .write(to: apps.appending(path: "\(domain)/manifest.json"))
        return apps
    }
}
