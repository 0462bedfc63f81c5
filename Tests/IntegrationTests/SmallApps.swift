/// Apps written for tests.
enum SmallApps {
    /// One app whose start-up components are `entries`: code by the entry's file name.
    static func app(
        _ domain: String, _ entries: [String: String], services: [String: [String]] = [:],
        startup: [String]? = nil, caps: String = #"{"storage": {"appFS": "default"}, "logToPlatform": true}"#,
        perConnection: Bool = false
    ) -> [String: String] {
        let components = entries.keys.sorted().map { entry in
            let served = (services[entry] ?? []).map {
                #""\#($0)": {"thisAppComponents": "*", "otherApps": "*"}"#
            }.joined(separator: ", ")
            let once = perConnection ? #", "forOneConnectionOnly": true"# : ""
            let part = served.isEmpty ? "" : #", "services": {\#(served)}\#(once)"#
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

    /// Several apps as one folder.
    static func together(_ apps: [String: String]...) -> [String: String] {
        apps.reduce(into: [:]) { all, app in all.merge(app) { first, _ in first } }
    }

    /// A service that echoes, counts, waits, ends itself in the ways a test asks for.
    static let echo = """
        let release;
        w3nRPC.serve('Echo', {
            echo: async value => value,
            connector: async () => 'here',
            never: () => w3n.log("info", "never is under way").then(() => new Promise(() => {})),
            hang: tag => { console.log(`hangs for ${tag}`); return new Promise(done => { release = done; }); },
            release: async value => { release(value); },
            throwLater: async () => { setTimeout(() => { throw new Error('later'); }, 0); },
            rejectLater: async () => { Promise.reject(new Error('refused')); },
            spin: async tag => { console.log(`spins for ${tag}`); for (;;); },
            close: async () => { setTimeout(() => w3n.closeSelf(), 0); },
        });
        console.log('echo serves');
        """
}
