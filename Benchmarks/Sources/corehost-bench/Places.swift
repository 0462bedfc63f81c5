import Foundation

/// Where everything stands, from the repository's root.
struct Places {
    let root: URL

    var programs: URL { root.appending(path: ".build/release") }
    var resources: URL { root.appending(path: "Resources") }
    var references: References { References(folder: root.appending(path: "Benchmarks/.build/references")) }
    var messageApps: URL { root.appending(path: "Benchmarks/Apps") }

    /// The repository's resources with what `Benchmarks/Resources` has put in front, as links in a new folder.
    func messageResources(in scratch: Scratch) throws -> URL {
        let result = scratch.folder.appending(path: "resources")
        let files = FileManager.default
        for source in [root.appending(path: "Benchmarks/Resources"), resources] {
            for folder in ["js", "core"] {
                let target = result.appending(path: folder)
                try files.createDirectory(at: target, withIntermediateDirectories: true)
                let present = Set(try files.contentsOfDirectory(atPath: target.path))
                let names = try files.contentsOfDirectory(atPath: source.appending(path: folder).path)
                for name in names where !present.contains(name) {
                    try files.createSymbolicLink(
                        at: target.appending(path: name),
                        withDestinationURL: source.appending(path: "\(folder)/\(name)"))
                }
            }
        }
        return result
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
