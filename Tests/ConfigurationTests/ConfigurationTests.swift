import Configuration
import Glibc
import Supervision
import TestSupport
import Testing

@Suite struct ConfigurationTests {
    private let id = ComponentID(appDomain: "chat.app", entrypoint: "/background.mjs")

    @Test func emptyFileMeansTheDefaults() throws {
        let policy = try Configuration(text: "{}", file: "c").policy(for: id, restart: .permanent)
        #expect(policy == RestartPolicy(restart: .permanent))
        #expect(policy.maxRestarts == 10)
        #expect(policy.period == .seconds(300))
        #expect(policy.startTimeout == .seconds(10))
        #expect(policy.stopGrace == .seconds(5))
        #expect(policy.killAfter == .seconds(2))
        #expect(policy.backoff.first == .milliseconds(100))
        #expect(policy.backoff.factor == 2)
        #expect(policy.backoff.max == .seconds(60))
        #expect(policy.backoff.jitter == 0.1)
    }

    @Test func resolversAreTakenInTheirOrder() throws {
        let text = #"{ "network": { "dohResolvers": ["https://b.test/q", "https://a.test/", ], } }"#
        #expect(try Configuration(text: text, file: "c").dohResolvers == ["https://b.test/q", "https://a.test/"])
        #expect(try Configuration(text: "{}", file: "c").dohResolvers == [])
    }

    @Test func commentsAndTrailingCommasAreAllowed() throws {
        let text = """
            // for the whole file
            { "components": { /* every one */ "*": { "maxRestarts": 3, }, } }
            """
        #expect(try Configuration(text: text, file: "c").policy(for: id, restart: .transient).maxRestarts == 3)
    }

    @Test func theMoreExactNameWinsKeyByKey() throws {
        let text = """
            { "components": {
                "chat.app/background.mjs": { "restart": "permanent", "backoff": { "jitter": 0 } },
                "chat.app": { "stopGrace": "100ms", "maxRestarts": 2, "backoff": { "first": "1s", "jitter": 0.5 } },
                "*": { "stopGrace": "1h", "period": "5min", "startTimeout": "2.5s", "restart": "temporary" }
            } }
            """
        let configuration = try Configuration(text: text, file: "c")
        let policy = configuration.policy(for: id, restart: .transient)
        #expect(policy.restart == .permanent)
        #expect(policy.stopGrace == .milliseconds(100))
        #expect(policy.maxRestarts == 2)
        #expect(policy.period == .seconds(300))
        #expect(policy.startTimeout == .milliseconds(2500))
        #expect(policy.backoff == BackoffPolicy(first: .seconds(1), jitter: 0))

        let instance = ComponentID(appDomain: "chat.app", entrypoint: "/background.mjs", instance: 4)
        #expect(configuration.policy(for: instance, restart: .transient) == policy)
        let other = ComponentID(appDomain: "other.app", entrypoint: "/background.mjs")
        #expect(configuration.policy(for: other, restart: .permanent).restart == .temporary)
        #expect(configuration.policy(for: other, restart: .permanent).stopGrace == .seconds(3600))
    }

    @Test(arguments: [
        (
            #"{ "component": {} }"#,
            #"1:16: component: unknown key; known here: components, core, network, systemApps, tasks"#
        ),
        (#"{ "components": [] }"#, "1:17: components: is a list; write an object { … }"),
        (#"[]"#, "1:1: is a list; write an object { … }"),
        (#"{ "network": { "resolvers": [] } }"#, "1:29: network.resolvers: unknown key; known here: dohResolvers"),
        (
            #"{ "network": { "dohResolvers": "https://a" } }"#,
            "1:32: network.dohResolvers: is \"https://a\"; write a list of at most 16: URLs that begin with \"https://\""
        ),
        (
            #"{ "network": { "dohResolvers": ["https://a.test/", "http://b.test/"] } }"#,
            "1:52: network.dohResolvers: is \"http://b.test/\"; write URLs that begin with \"https://\""
        ),
        (
            #"{ "components": { "a.b": { "retries": 1 } } }"#,
            #"1:39: components."a.b".retries: unknown key; known here: restart, maxRestarts, period, "#
                + "startTimeout, stopGrace, backoff, heartbeat, memory, queue, nice, background, window, engine"
        ),
        (
            #"{ "components": { "*": { "backoff": { "firts": "1s" } } } }"#,
            #"1:48: components."*".backoff.firts: unknown key; known here: first, factor, max, jitter"#
        ),
        (
            "{ \"components\": {\n\"*\": {\n  \"restart\": \"always\" } } }",
            #"3:14: components."*".restart: is "always"; allowed: "permanent", "transient", "temporary""#
        ),
        (
            #"{ "components": { "*": { "restart": true } } }"#,
            #"1:37: components."*".restart: is true; write one of "permanent", "transient", "temporary""#
        ),
        (
            #"{ "components": { "*": { "maxRestarts": -1 } } }"#,
            #"1:41: components."*".maxRestarts: is -1; allowed: 0 to 10000"#
        ),
        (
            #"{ "components": { "*": { "maxRestarts": 1.5 } } }"#,
            #"1:41: components."*".maxRestarts: is 1.5; write a whole number"#
        ),
        (
            #"{ "components": { "*": { "period": 300 } } }"#,
            #"1:36: components."*".period: is 300; write a duration such as "100ms", "10s", "5min" or "1h""#
        ),
        (
            #"{ "components": { "*": { "period": "5 min" } } }"#,
            #"1:36: components."*".period: is "5 min"; write a duration such as "100ms", "10s", "5min" or "1h""#
        ),
        (
            #"{ "components": { "*": { "startTimeout": "1ms" } } }"#,
            #"1:42: components."*".startTimeout: is "1ms"; allowed: 0.1 seconds to 3600.0 seconds"#
        ),
        (
            #"{ "components": { "*": { "backoff": { "first": "10s", "max": "1s" } } } }"#,
            #"1:62: components."*".backoff.max: is 1.0 seconds; allowed: 10.0 seconds, which is "first", or more"#
        ),
        (
            #"{ "components": { "*": { "memory": { "hard": "8MiB" } } } }"#,
            #"1:46: components."*".memory.hard: is "8MiB"; allowed: 16MiB, which is the least that the engine works with, to 1024GiB"#
        ),
        (
            #"{ "components": { "*": { "memory": { "soft": 64 } } } }"#,
            #"1:46: components."*".memory.soft: is 64; write a size such as "512KiB", "64MiB" or "1GiB""#
        ),
        (
            #"{ "components": { "*": { "memory": { "soft": "64MiB", "hard": "32MiB" } } } }"#,
            #"1:63: components."*".memory.hard: is "32MiB"; allowed: 64MiB, which is "soft", or more"#
        ),
        (
            #"{ "components": { "*": { "backoff": null } } }"#,
            #"1:37: components."*".backoff: is null; write an object { … }"#
        ),
    ])
    func everyMistakeIsNamedWithItsPlace(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try Configuration(text: text, file: "f.jsonc") }
        #expect(error?.description == "f.jsonc:\(message)")
    }

    @Test(arguments: [
        ("", "1:1", "the end of the file where a value was expected"),
        ("// only a comment", "1:18", "the end of the file where a value was expected"),
        ("{} x", "1:4", "\"x\" after the end of the value"),
        ("{\n  components: {} }", "2:3", "\"c\" where a key in quotes or \"}\" was expected"),
        ("{ \"a\" 1 }", "1:7", "\"1\" where \":\" behind a key was expected"),
        ("{ \"a\": 1 \"b\": 2 }", "1:10", "\"\"\" where \",\" or \"}\" was expected"),
        ("{ \"a\": 1", "1:9", "the end of the file where \",\" or \"}\" was expected"),
        ("{ \"a\": 1,\n\"a\": 2 }", "2:1", "the same key a second time"),
        ("{ \"a\": yes }", "1:8", "\"y\" where a value was expected"),
        ("{ \"a\": 'x' }", "1:8", "\"'\" where a value was expected"),
        ("{ \"a\": 01 }", "1:8", "a number that JSON does not know"),
        ("{ \"a\": 1. }", "1:8", "a number that JSON does not know"),
        ("{ \"a\": \"x\n\" }", "1:8", "a text whose closing quote is missing"),
        ("{ \"a\": \"\\x\" }", "1:10", "an escape that JSON does not know"),
        ("{ \"a\": \"\\ud800\" }", "1:10", "an escape that JSON does not know"),
        ("{} /* *", "1:4", "a comment that does not end"),
        ("{} /", "1:5", "the end of the file where \"*\" or \"/\" of a comment was expected"),
        ("\u{0}", "1:1", "character 0 where a value was expected"),
        (String(repeating: "[", count: 65), "1:65", "nested deeper than 64"),
    ])
    func whatIsNotJSONSaysWhere(text: String, place: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try Configuration(text: text, file: "f.jsonc") }
        #expect(error?.description == "f.jsonc:\(place): not JSON with comments: \(message)")
    }

    @Test func anyTextIsReadOrRefused() {
        var random = SeededRandom(seed: SeededRandom.seed(for: "anyTextIsReadOrRefused"))
        let text = Array(
            #"{ /* c */ "components": { "*\u0041": { "period": "1s", "maxRestarts": -1.5e3, }, } } // d"#.utf8)
        for _ in 0..<5_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = text.randomElement(using: &random) ?? 0
                case 1: bytes[place] = .random(in: 0...255, using: &random)
                case 2: bytes.remove(at: place)
                default: bytes.removeSubrange(place...)
                }
            }
            // Either is right; what must not happen is a trap or an endless loop.
            _ = try? Configuration(text: String(decoding: bytes, as: UTF8.self), file: "f")
        }
    }

    @Test func escapesInKeysMeanTheirCharacters() throws {
        let text = #"{ "comp\u006Fnents": { "\ud83d\ude00\n\/": { "maxRestarts": 1e1 } } }"#
        #expect(throws: Never.self) { try Configuration(text: text, file: "f") }
    }

    @Test(arguments: ["", "s", "1", "1 s", "-1s", "1e3s", ".5s", "5.s", "1.2.3s", "1d", "1S", "99999999999h"])
    func oddDurationsAreRefused(text: String) {
        #expect(throws: ConfigurationError.self) {
            try Configuration(text: #"{ "components": { "*": { "period": "\#(text)" } } }"#, file: "f")
        }
    }

    @Test func aMissingFileMeansTheDefaultsUnlessItWasNamed() throws {
        let path = "/nonexistent/corehost.jsonc"
        #expect(try Configuration(path: path, isNamedByUser: false) == Configuration())
        let error = #expect(throws: ConfigurationError.self) { try Configuration(path: path, isNamedByUser: true) }
        #expect(
            error?.description == "\(path): no such file; make it, or leave the option out to run with the defaults")
    }

    @Test func aFileIsRead() throws {
        let path = "/tmp/corehost-configuration-test-\(getpid()).jsonc"
        let file = try #require(fopen(path, "w"))
        fputs(#"{ "components": { "*": { "stopGrace": "7s" } } }"#, file)
        fclose(file)
        defer { unlink(path) }
        let configuration = try Configuration(path: path, isNamedByUser: true)
        #expect(configuration.policy(for: id, restart: .permanent).stopGrace == .seconds(7))
    }

    @Test func whatCannotBeReadSaysWhy() throws {
        let folder = #expect(throws: ConfigurationError.self) { try Configuration(path: "/", isNamedByUser: false) }
        #expect(folder?.description == "/: cannot be read: Is a directory")

        let path = "/tmp/corehost-configuration-test-bytes-\(getpid()).jsonc"
        defer { unlink(path) }
        for (bytes, why) in [
            ([0x22, 0xFF], "not UTF-8 text"),
            ([UInt8](repeating: 0x20, count: 1 << 20) + [0x20], "over the limit of 1048576 bytes"),
        ] {
            let file = try #require(fopen(path, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
            let error = #expect(throws: ConfigurationError.self) { try Configuration(path: path, isNamedByUser: true) }
            #expect(error?.description == "\(path): cannot be read: \(why)")
        }
    }

    /// Each key is right by itself.
    @Test(arguments: [
        (#"{"*": {"heartbeat": {"soft": "1min"}}}"#, #"c:1:"#, "\"hard\" is 30 s and \"soft\" 1 min"),
        (
            #"{"*": {"heartbeat": {"hard": "2h", "soft": "1h"}}, "a": {"heartbeat": {"hard": "1s"}}}"#,
            "components.a.heartbeat",
            "\"hard\" is 1 s and \"soft\" 1 h"
        ),
        (
            #"{"a/b": {"backoff": {"first": "2min"}}}"#, #"components."a/b".backoff"#,
            "\"max\" is 1 min and \"first\" 2 min"
        ),
        (
            #"{"*": {"memory": {"hard": "128MiB"}}}"#, #"components."*".memory"#,
            "\"hard\" is 128MiB and \"soft\" 256MiB"
        ),
        (
            #"{"*": {"maxRestarts": 10000}}"#, #"components."*".maxRestarts"#,
            "10000 restarts within 5 min cannot be reached"
        ),
    ])
    func contradictionsAreRefused(components: String, place: String, what: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(text: "{\"components\": \(components)}", file: "c")
        }
        #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains(what) == true, "\(error?.description ?? "")")
    }

    @Test func settingsSayWhereTheyComeFrom() throws {
        let text = #"{"components": {"*": {"stopGrace": "3s", "period": "1h"}, "chat.app": {"stopGrace": "1s"}}}"#
        let configuration = try Configuration(text: text, file: "c")
        let settings = configuration.settings(for: id, restart: .transient)
        let seen = Dictionary(uniqueKeysWithValues: settings.map { ($0.name, "\($0.value) \($0.origin ?? "default")") })
        #expect(seen["stopGrace"] == "1s chat.app")
        #expect(seen["period"] == "1h *")
        #expect(seen["heartbeat.hard"] == "30s default")
        #expect(
            configuration.settings(for: nil, restart: .transient).contains {
                $0.name == "stopGrace" && $0.value == "3s" && $0.origin == "*" && $0.line != nil
            })
    }
}
