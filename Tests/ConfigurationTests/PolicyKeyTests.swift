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

    @Test(arguments: [
        (#"{"*": {"background": "foreground", "restart": "permanent"}}"#, "components.\"*\".background"),
        (#"{"*": {"background": "foreground"}, "a.b": {"restart": "transient"}}"#, "components.\"a.b\".restart"),
        (#"{"*": {"queue": {"limit": "32MiB"}}}"#, "64MiB, which is the longest message, to 4GiB"),
        (#"{"*": {"queue": {"openCalls": 1}}}"#, "allowed: 16 to 65536"),
        (#"{"*": {"nice": -1}}"#, "allowed: 0 to 19"),
        (#"{"*": {"background": "windowed"}}"#, #"allowed: "always", "foreground""#),
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
