import Configuration
import Supervision
import Testing

@Suite struct PolicyKeyTests {
    private let id = ComponentID(appDomain: "chat.app", entrypoint: "/background.mjs")

    private func policy(_ components: String, restart: RestartType = .permanent) throws -> RestartPolicy {
        try Configuration(text: "{\"components\": \(components)}", file: "c").policy(for: id, restart: restart)
    }

    @Test func everyKeyReachesThePolicy() throws {
        let policy = try policy(
            """
            {"*": {"engine": {"JSC_useJIT": false, "JSC_numberOfGCMarkers": 2}, "nice": 3},
             "chat.app": {"engine": {"JSC_useJIT": true}, "queue": {"highWater": "64KiB", "limit": "1GiB", "openCalls": 99},
                          "memory": {"soft": "8MiB", "hard": "16MiB", "collectAfter": "3s"}}}
            """)
        #expect(policy.engine == [.useJIT: "true", .numberOfGCMarkers: "2"])
        #expect(policy.queue == QueuePolicy(highWater: 64 << 10, limit: 1 << 30, openCalls: 99))
        #expect(policy.memory == MemoryPolicy(soft: 8 << 20, hard: 16 << 20, collectAfter: .seconds(3)))
        #expect(policy.nice == 3)
    }

    @Test func foregroundMeansNeverAgain() throws {
        #expect(try policy(#"{"*": {"background": "foreground"}}"#).restart == .temporary)
        #expect(try policy(#"{"*": {"background": "always"}}"#).restart == .permanent)
    }

    @Test func whatRunsInCyclesIsDoneWhenItClosesItself() throws {
        #expect(try policy(#"{"*": {"background": "windowed"}}"#).restart == .transient)
        #expect(try policy(#"{"*": {"background": "push", "restart": "temporary"}}"#).restart == .temporary)
        let window = try policy(#"{"*": {"window": {"every": "1h", "length": "90s", "maxLoad": 2, "power": "any"}}}"#)
            .window
        #expect(window == WindowPolicy(every: .seconds(3600), length: .seconds(90), maxLoad: 2, power: .any))
        #expect(try policy("{}").window == WindowPolicy())
    }

    @Test func whichTasksArePermitted() throws {
        func permitted(_ text: String) throws -> [String] {
            try Configuration(text: #"{"tasks": {\#(text)}}"#, file: "f").permittedTasks.identifiers
        }
        #expect(try permitted("") == ["*"])
        #expect(try permitted(#""permitted": []"#) == [])
        #expect(try permitted(#""permitted": ["io.privacysafe.chat.sync", "a.b.c.mjs"]"#).count == 2)
        for wrong in [#""permitted": "*""#, #""permitted": ["a b"]"#, #""permitted": ["*", "a.b"]"#, #""allowed": []"#]
        {
            #expect(throws: ConfigurationError.self, "\(wrong)") { try permitted(wrong) }
        }
    }

    @Test(arguments: [
        (#"{"*": {"background": "foreground", "restart": "permanent"}}"#, "components.\"*\".background"),
        (#"{"*": {"background": "foreground"}, "a.b": {"restart": "transient"}}"#, "components.\"a.b\".restart"),
        (#"{"*": {"queue": {"limit": "32MiB"}}}"#, "64MiB, which is the longest message, to 4GiB"),
        (#"{"*": {"queue": {"openCalls": 1}}}"#, "allowed: 16 to 65536"),
        (#"{"*": {"nice": -1}}"#, "allowed: 0 to 19"),
        (#"{"*": {"background": "pushed"}}"#, #"allowed: "always", "windowed", "push", "foreground""#),
        (#"{"*": {"background": "push", "restart": "permanent"}}"#, "\"push\" components are done when they close"),
        (#"{"*": {"restart": "permanent"}, "a.b": {"background": "windowed"}}"#, "components.\"a.b\".background"),
        (#"{"*": {"window": {"every": "1min", "length": "2min"}, "background": "windowed"}}"#, "never closes, so take"),
        (#"{"*": {"background": "windowed"}, "a.b": {"window": {"every": "2min"}}}"#, "components.\"a.b\".window"),
        (#"{"*": {"window": {"every": "10ms"}}}"#, "allowed: 1.0 seconds to"),
        (#"{"*": {"window": {"maxLoad": 0}}}"#, "allowed: 0.01 to 100"),
        (#"{"*": {"window": {"power": "solar"}}}"#, #"allowed: "external", "any""#),
        (#"{"*": {"window": {"days": 1}}}"#, "unknown key; known here: every, length, maxLoad, power"),
        (#"{"*": {"engine": {"JSC_dumpOptions": true}}}"#, "unknown key; known here: JSC_useJIT, "),
        (#"{"*": {"engine": {"JSC_useJIT": 0}}}"#, "is 0; write true or false"),
    ])
    func whatCannotBeIsRefused(components: String, words: String) {
        let error = #expect(throws: ConfigurationError.self) { try policy(components) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.line == 1)
    }

    @Test func changesSayWhenTheyApply() throws {
        let old = try policy(#"{"*": {"engine": {"JSC_useJIT": false}}}"#)
        let new = try policy(
            #"{"*": {"stopGrace": "1s", "memory": {"soft": "64MiB", "hard": "128MiB"}, "nice": 1}}"#)
        let seen = Dictionary(uniqueKeysWithValues: new.changes(from: old).map { ($0.key, $0) })
        #expect(
            seen.mapValues(\.moment) == [
                "stopGrace": .now, "memory.soft": .now, "memory.hard": .nextStart, "nice": .nextStart,
                "engine.JSC_useJIT": .nextStart,
            ])
        #expect(seen["memory.soft"]?.old == "256MiB" && seen["memory.soft"]?.new == "64MiB")
        #expect(seen["engine.JSC_useJIT"]?.old == "false" && seen["engine.JSC_useJIT"]?.new == "default")
        #expect(new.changes(from: new).isEmpty)
    }

    @Test func thePlatformsOwnChangesApplyNowOrWithTheNextRun() throws {
        let old = try Configuration(text: #"{"systemApps": ["a.b"]}"#, file: "c")
        let new = try Configuration(
            text: #"{"core": {"heartbeat": {"soft": "1s"}}, "network": {"dohResolvers": ["https://a.test/"]}}"#,
            file: "c")
        #expect(
            new.changes(from: old).map { "\($0.key) \($0.old) \($0.new) \($0.moment.rawValue)" } == [
                "core.heartbeat.soft 5s 1s now", "network.dohResolvers none https://a.test/ next-run",
                "systemApps a.b none next-run",
            ])
    }
}
