import Control
import Foundation
import TestSupport

/// A supervisor with app packs and a system app, whose component runs what tests give it.
struct AppPlatform {
    static let domain = "admin.test"
    private static let caps = #"""
        {"system": {"apps": "all", "monitor": "all", "platform": "all", "logout": true, "userLogin": "all",
         "autoStartup": "all"}, "shell": {"userNotifications": true}, "storage": {"appFS": "default"}}
        """#
    private static let code = """
        const AsyncFunction = (async () => {}).constructor;
        const add = id => new Promise((resolve, reject) => w3n.system.apps.installer.addPackFromBundledApps(
            id, { next() {}, complete: resolve, error: reject }));
        w3nRPC.serve('Admin', { evaluate: text => new AsyncFunction('add', text)(add) });
        """

    let supervisor: RunningSupervisor
    let folder: TemporaryFolder

    /// - Parameters:
    ///   - packs: files of apps by their path below a folder of apps; each becomes a pack.
    ///   - apps: further apps of the apps folder.
    init(
        packs: [String: String] = [:], apps: [String: String] = [:], folder: TemporaryFolder? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let path = self.folder.path
        try FileManager.default.createDirectory(atPath: path + "/packs", withIntermediateDirectories: true)
        if !packs.isEmpty { try Self.pack(packs, in: self.folder) }
        supervisor = try RunningSupervisor(
            apps: SmallApps.together(
                SmallApps.app(Self.domain, ["main.js": Self.code], services: ["main.js": ["Admin"]], caps: Self.caps),
                apps),
            configuration: #"{"systemApps": ["admin.test"]}"#, options: ["--packs", path + "/packs"],
            folder: self.folder, environment: environment)
    }

    /// Writes the files and makes a pack of each app.
    static func pack(_ files: [String: String], in folder: TemporaryFolder) throws {
        for (name, text) in files { try folder.write(text, to: "unpacked/\(name)") }
        for domain in Set(files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }) {
            let tool = try RunningProgram(
                RunningSupervisor.repository + "/scripts/pack-app",
                ["\(folder.path)/unpacked/\(domain)", "\(folder.path)/packs"], environment: ["PATH": "/usr/bin:/bin"])
            guard try tool.waitForExit() == 0 else { throw TestFailure("pack-app: \(tool.lines)") }
        }
    }

    /// What `text`, the body of an async function, gives in the system app's component. It has `w3n`, and `add(id)`.
    func evaluate(_ text: String) throws -> JSONValue {
        try supervisor.call(Self.domain, "Admin", "evaluate", [.string(text)])
    }
}
