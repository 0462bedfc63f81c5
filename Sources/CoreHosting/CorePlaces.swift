internal import FoundationEssentials

/// Folders that the core plane works with.
public struct CorePlaces: Sendable {
    /// With `js/` and `core/`.
    public let resources: String
    public let apps: String
    /// Base of the file ports.
    public let files: String
    /// Largest body of a frame on a data pipe, in bytes.
    public let frameLimit: UInt32

    public static let defaultFrameLimit: UInt32 = 64 << 20

    public init(
        resources: String, apps: String, files: String, frameLimit: UInt32 = CorePlaces.defaultFrameLimit
    ) {
        self.resources = resources
        self.apps = apps
        self.files = files
        self.frameLimit = frameLimit
    }

    var packs: String { resources + "/app-packs" }

    /// Scripts of the core's context, in the order of the boot sequence.
    func coreScripts() throws -> [String] {
        let bundle = try JSONDecoder().decode(Bundle.self, from: Data(contentsOf: file("core/bundle.json")))
        return ["js/common-preload.js", "js/device-fs.js"] + bundle.core.map { "core/\($0)" }
            + ["js/app-manifests.js", "js/rpc-connection.js", "js/rpc-broker.js", "js/core-load.js"]
    }

    func readScript(_ name: String) throws -> String {
        do {
            return try String(contentsOf: file(name), encoding: .utf8)
        } catch {
            throw ScriptError(path: file(name).path, reason: "\(error)")
        }
    }

    private func file(_ name: String) -> URL { URL(filePath: resources).appending(path: name) }

    private struct Bundle: Decodable { let core: [String] }
}

/// A script of the platform that cannot be read.
struct ScriptError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "\(path) cannot be read (\(reason)); the resources folder is incomplete: name a whole one with --resources"
    }
}
