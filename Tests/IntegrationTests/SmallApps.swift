import Foundation

/// Apps written for tests.
enum SmallApps {
    /// One app whose start-up components are `entries`: code by the entry's file name.
    static func app(
        _ domain: String, _ entries: [String: String], services: [String: [String]] = [:],
        startup: [String]? = nil, caps: String = #"{"storage": {"appFS": "default"}, "logToPlatform": true}"#
    ) -> [String: String] {
        let components = entries.keys.sorted().map { entry in
            let served = (services[entry] ?? []).map {
                #""\#($0)": {"thisAppComponents": "*", "otherApps": "*"}"#
            }.joined(separator: ", ")
            let part = served.isEmpty ? "" : #", "services": {\#(served)}"#
            return #""/\#(entry)": {"runtime": "deno", "capsRequested": \#(caps)\#(part)}"#
        }
        let launches = (startup ?? entries.keys.sorted()).map {
            #"{"component": "/\#($0)", "name": "\#($0)", "icon": "i.png", "description": "test"}"#
        }
        var files = [
            "\(domain)/manifest.json": """
            {"appDomain": "\(domain)", "version": "1.0.0", "name": "Test", "description": "test", "icon": "i.png",
             "components": {\(components.joined(separator: ", "))},
             "launchOnSystemStartup": [\(launches.joined(separator: ", "))]}
            """
        ]
        for (entry, code) in entries { files["\(domain)/app/\(entry)"] = code }
        return files
    }

    /// A service that echoes, counts, waits, ends itself in the ways a test asks for.
    static let echo = """
        w3nRPC.serve('Echo', {
            echo: async value => value,
            connector: async () => 'here',
            never: () => w3n.log("info", "never is under way").then(() => new Promise(() => {})),
            throwLater: async () => { setTimeout(() => { throw new Error('later'); }, 0); },
            rejectLater: async () => { Promise.reject(new Error('refused')); },
            spin: async () => { for (;;); },
            close: async () => { setTimeout(() => w3n.closeSelf(), 0); },
        });
        console.log('echo serves');
        """
}
