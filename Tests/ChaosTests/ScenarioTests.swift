import Configuration
import Control
import Faults
import Foundation
import TestSupport
import Testing

@testable import Chaos

/// What a scenario file may say, and where it is told what is wrong with it.
@Suite struct ScenarioTests {
    private static let call = #""call": {"app": "a", "service": "S", "method": "m"}"#

    /// A scenario that is right but for what is added behind its head, on line 2.
    private static func scenario(_ more: String = "") throws -> Scenario {
        try Scenario(
            text: """
                {"schema": "corehost.scenario/1", "name": "a", "duration": "10s",
                \(more)}
                """, file: "f.jsonc")
    }

    private static func problem(_ more: String) -> String {
        do {
            return "right: \(try scenario(more))"
        } catch {
            return "\(error)"
        }
    }

    @Test func aSmallOneHasDefaults() throws {
        let scenario = try Self.scenario()
        #expect(scenario.seed == 1 && scenario.settle == .seconds(10))
        #expect(scenario.recovery == Scenario.RecoveryBound(within: .seconds(10), p99: nil))
        #expect(scenario.supervisor == nil && scenario.actions.isEmpty && scenario.probes.isEmpty)
    }

    @Test func oneThatWouldShowNothingIsRefused() throws {
        let folder = try TemporaryFolder()
        let head = #"{"schema": "corehost.scenario/1", "name": "a", "duration": "10s""#
        try folder.write(head + "}", to: "empty.jsonc")
        let error = #expect(throws: ConfigurationError.self) { try Scenario(path: folder.path + "/empty.jsonc") }
        #expect("\(try #require(error))".contains("no probes, no load and no actions"))
        try folder.write(head + #", "probes": [{"name": "d", "doctor": true}]}"#, to: "probe.jsonc")
        #expect(throws: Never.self) { try Scenario(path: folder.path + "/probe.jsonc") }
    }

    @Test func everyPartIsRead() throws {
        let scenario = try Self.scenario(
            """
            "$schema": "x", "about": "what", "seed": 7, "settle": "2s", "recovery": {"within": "1s", "p99": "300ms"},
            "supervisor": {"apps": "my-apps", "configuration": {"components": {"*": {"maxRestarts": 3}}}},
            "prepare": [{"as": "one", "call": {"app": "a", "service": "S", "method": "m"}, "member": "id"}],
            "load": [{"name": "l", "clients": 2, "every": "20ms",
                "call": {"app": "a", "service": "S", "method": "add", "arguments": ["${one}", {"t": "w ${n}"}]},
                "find": {"call": {"app": "a", "service": "S", "method": "list"}, "member": "t", "value": "w ${n}"}}],
            "probes": [
                {"name": "p", \(Self.call), "returns": {"a": 1}, "when": ["during"], "every": "50ms", "share": 0.9},
                {"name": "q", "components": {"target": "app=a", "state": "running", "count": 2}},
                {"name": "r", "doctor": true}, {"name": "s", "leaks": {"descriptors": 3}},
            ],
            "actions": [
                {"at": "1s", "kill": {"target": "random:2", "signal": "SIGTERM"}},
                {"at": "3s", "fault": {"kind": "pause", "target": "random:1", "duration": "2s", "most": 1}},
                {"every": "500ms", "from": "2s", "until": "4s", "jitter": 0.25, "restart": {"target": "50%"}},
            ]
            """)
        #expect(scenario.supervisor?.apps == "my-apps")
        #expect(scenario.preparations.map(\.variable) == ["one"])
        #expect(scenario.loads[0].clients == 2 && scenario.loads[0].find?.member == "t")
        #expect(scenario.probes.map(\.name) == ["p", "q", "r", "s"])
        #expect(scenario.probes[0].phases == [.during] && scenario.probes[1].phases == [.before, .after])
        #expect(scenario.actions.map(\.name) == ["kill random:2 with SIGTERM", "pause random:1", "restart 50%"])
        #expect(Timeline.steps(of: scenario.actions, seed: 1).count == 6)
    }

    @Test(arguments: [
        (#""surprise": 1"#, #"f.jsonc:2:13: surprise: unknown key; known here: $schema, schema, name"#),
        (#""duration": "1s""#, "f.jsonc:2:1: not JSON with comments: the same key a second time"),
        (#""seed": -1"#, "f.jsonc:2:9: seed: is -1; allowed: 0 to 9007199254740992"),
        (#""settle": 3"#, #"f.jsonc:2:11: settle: is 3; write a duration such as"#),
        (#""actions": [{"at": "1s"}]"#, "f.jsonc:2:13: actions[0]: says not what to do: one of "),
        (#""actions": [{"at": "1s", "explode": {"target": "all"}}]"#, "actions[0].explode: unknown key; known here: "),
        (#""actions": [{"kill": {"target": "all"}}]"#, #"actions[0]: says not when: write "at", or "every""#),
        (
            #""actions": [{"at": "11s", "kill": {"target": "all"}}]"#,
            #"f.jsonc:2:20: actions[0].at: it is after the end"#
        ),
        (
            #""actions": [{"at": "1s", "every": "1s", "kill": {"target": "all"}}]"#,
            #"actions[0].every: "at" says when already"#
        ),
        (
            #""actions": [{"every": "1s", "from": "5s", "until": "5s", "kill": {"target": "all"}}]"#,
            "actions[0].until: it ends (5 s) before it begins (5 s)"
        ),
        (
            """
            "actions": [{"at": "1s", "fault": {"kind": "pause", "target": "random:1"}},
             {"at": "1s", "fault": {"kind": "tight-loop", "target": "app=a.b"}}]
            """,
            "f.jsonc:3:2: actions[1]: tight-loop comes while \"pause random:1\" is in force, and a process that is stopped"
        ),
        (
            """
            "actions": [{"at": "1s", "fault": {"kind": "disk-full", "duration": "2s", "parameters": {"place": "data"}}},
             {"at": "2500ms", "fault": {"kind": "disk-slow", "parameters": {"place": "data"}}}]
            """, "actions[1]: disk-slow comes while \"disk-full\" is in force, and the disk has one fault at a time"
        ),
        (#""actions": [{"at": "1s", "kill": {"target": "some"}}]"#, #"kill.target: is "some"; allowed: id=ID, "#),
        (#""actions": [{"at": "1s", "kill": {}}]"#, #"f.jsonc:2:34: actions[0].kill: "target" is missing"#),
        (#""actions": [{"at": "1s", "kill": {"target": "101%"}}]"#, #"is "101%"; allowed"#),
        (#""actions": [{"at": "1s", "kill": {"target": "all", "signal": "SIGUSR1"}}]"#, "none of the engine's"),
        (#""actions": [{"at": "1s", "kill": {"target": "all", "signal": "SIGSTOP"}}]"#, "nothing would undo it"),
        (#""actions": [{"every": "10ms", "kill": {"target": "all"}}], "settle": "0s""#, "settle: is"),
        (
            #""actions": [{"at": "1s", "fault": {"kind": "explode", "target": "all"}}]"#,
            #"f.jsonc:2:35: actions[0].fault: there is no kind of fault "explode"; kinds are signal, pause"#
        ),
        (#""actions": [{"at": "1s", "fault": {"kind": "pause", "target": "some"}}]"#, #"the target "some" is none of"#),
        (#""actions": [{"at": "1s", "fault": {"kind": "pause"}}]"#, "pause needs a target"),
        (
            #""actions": [{"at": "1s", "fault": {"kind": "pause", "target": "all", "duration": "0s"}}]"#,
            "f.jsonc:2:82: actions[0].fault.duration: is \"0s\"; allowed"
        ),
        (
            #""actions": [{"at": "1s", "fault": {"kind": "pause", "target": "all", "count": 0}}]"#,
            "actions[0].fault.count: is 0; allowed: 1 to 100000"
        ),
        (
            #""actions": [{"at": "1s", "fault": {"kind": "exit", "target": "all", "parameters": {"color": 1}}}]"#,
            #"exit has no parameter "color""#
        ),
        (#""probes": [{"name": "p"}]"#, "probes[0]: says not what to look at: one of call, components"),
        (#""probes": [{"name": "p", "doctor": true, "leaks": {}}]"#, "probes[0]: has doctor and leaks; one is allowed"),
        (#""probes": [{"name": "", "doctor": true}]"#, #"probes[0].name: is ""; allowed: 1 to 80 bytes"#),
        (
            #""probes": [{"name": "p", "doctor": true}, {"name": "p", "doctor": true}]"#,
            #"probes[1].name: another probe is called "p""#
        ),
        (#""probes": [{"name": "p", "doctor": true, "share": 0.5}]"#, #"probes[0].share: it is for "during""#),
        (#""probes": [{"name": "p", "doctor": true, "when": ["later"]}]"#, #"probes[0].when: is "later""#),
        (
            #""probes": [{"name": "p", "doctor": true, "returns": 1}]"#,
            #"probes[0].returns: it is for a probe with "call""#
        ),
        (
            #""probes": [{"name": "p", "components": {"target": "random:1"}}]"#,
            "a probe looks at the same ones each time"
        ),
        (#""probes": [{"name": "p", "leaks": {}, "when": ["during"]}]"#, "is no leak yet"),
        (
            #""load": [{"name": "l", "call": {"app": "a", "service": "S", "method": "m", "arguments": ["${x}"]}}]"#,
            "load[0].call.arguments: ${x} is not known here; known: ${n}"
        ),
        (
            #""load": [{"name": "l", "call": {"app": "a", "service": "S", "method": "m"}, "clients": 25}]"#,
            "load[0].clients: is 25; allowed: 1 to 24"
        ),
        (
            #""prepare": [{"as": "n", "call": {"app": "a", "service": "S", "method": "m"}}]"#,
            #"prepare[0].as: is "n"; allowed"#
        ),
        (
            #""supervisor": {"configuration": {"components": {"*": {"nice": 99}}}}"#,
            #"f.jsonc:2:63: supervisor.configuration.components."*".nice: is 99; allowed"#
        ),
        ("\"about\": \"\n\"", "f.jsonc:2:10: not JSON with comments: a text whose closing quote is missing"),
    ])
    func whatIsWrongIsToldWithItsPlace(more: String, expected: String) {
        let problem = Self.problem(more)
        #expect(problem.contains(expected), "\(problem)")
    }

    @Test func tooManyMomentsAreRefused() {
        let text = #"""
            {"schema": "corehost.scenario/1", "name": "a", "duration": "1h",
            "actions": [{"every": "10ms", "kill": {"target": "all"}}]}
            """#
        #expect(throws: ConfigurationError.self) { try Scenario(text: text, file: "f") }
    }

    @Test func anotherVersionIsRefused() {
        let text = #"{"schema": "corehost.scenario/2", "name": "a", "duration": "1s"}"#
        #expect(throws: ConfigurationError.self) { try Scenario(text: text, file: "f") }
    }

    /// Keys of each object that a schema describes, by its place; elements of a list stand in its place.
    private static func keys(of schema: JSONValue, at place: String = "", _ root: JSONValue) -> [String: Set<String>] {
        var schema = schema
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            schema = root["$defs"]?[String(name)] ?? .null
        }
        if let items = schema["items"] { return keys(of: items, at: place, root) }
        guard let properties = schema["properties"]?.members else { return [:] }
        return properties.reduce(into: [place: Set(properties.map(\.key))]) { all, property in
            let below = place.isEmpty ? property.key : "\(place).\(property.key)"
            all.merge(keys(of: property.value, at: below, root)) { $1 }
        }
    }

    @Test func theSchemaHasTheReadersKeys() throws {
        let text = try String(
            contentsOfFile: RunningSupervisor.repository + "/docs/schemas/scenario.json", encoding: .utf8)
        let schema = try JSONParser.parse(text)
        let keys = Self.keys(of: schema, schema)
        let expected: [String: [String]] = [
            "": ScenarioKeys.root, "recovery": ScenarioKeys.recovery, "supervisor": ScenarioKeys.supervisor,
            "prepare": ScenarioKeys.preparation, "prepare.call": ScenarioKeys.call, "load": ScenarioKeys.load,
            "load.call": ScenarioKeys.call, "load.find": ScenarioKeys.find, "load.find.call": ScenarioKeys.call,
            "probes": ScenarioKeys.probe, "probes.call": ScenarioKeys.call,
            "probes.components": ScenarioKeys.components, "probes.leaks": ScenarioKeys.leaks,
            "actions": ScenarioKeys.action, "actions.kill": ScenarioKeys.kill,
            "actions.restart": ScenarioKeys.target, "actions.fault": ScenarioKeys.fault,
        ]
        #expect(keys == expected.mapValues(Set.init))
    }

    /// What comes with the platform and stands in the documentation is right, for the reader and for the schema.
    @Test func everyScenarioThereIsIsRight() throws {
        let folder = RunningSupervisor.resources + "/chaos"
        var texts = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
        for page in ["chaos", "testing-your-component"] {
            let text = try String(contentsOfFile: RunningSupervisor.repository + "/docs/\(page).md", encoding: .utf8)
            texts += text.components(separatedBy: "```jsonc\n").dropFirst().compactMap {
                $0.components(separatedBy: "\n```").first
            }.filter { $0.contains(Scenario.schema) }
        }
        #expect(texts.count >= 4)
        for text in texts {
            #expect(throws: Never.self, "\(text)") { try Scenario(text: text, file: "f") }
            let value = try ConfigurationParser.parse(text).json
            #expect(try JSONSchema("scenario").problems(of: value) == [], "\(text)")
        }
    }

    @Test func aMissingFileIsNamed() {
        #expect {
            try Scenario(path: "/nowhere/s.jsonc")
        } throws: { error in
            "\(error)" == "/nowhere/s.jsonc: cannot be read: there is no such file"
        }
    }

    @Test func placesAreFilled() {
        let template = Template(["whole": "${n}", "part": "a ${n}-${b} $ {c}", "list": ["${b}", 1]])
        #expect(template.names == ["n", "b"])
        let filled = template.filled(with: ["n": 5, "b": ["x": 1]])
        #expect(filled == ["whole": 5, "part": #"a 5-{"x":1} $ {c}"#, "list": [["x": 1], 1]])
    }

    @Test func aResultMayHaveMoreThanIsWanted() {
        let result: JSONValue = ["a": 1.0, "b": [["c": "d", "e": nil]]]
        #expect(result.isAs(["b": [["c": "d"]], "a": 1]))
        #expect(!result.isAs(["a": 2]) && !result.isAs(["b": []]) && !result.isAs(["z": nil]))
    }

    @Test func theSameSeedIsTheSameTimeline() throws {
        let plan = ActionPlan(
            name: "k", deed: .kill(.random(1), signal: .kill),
            times: .again(from: .zero, every: .milliseconds(100), until: .seconds(2), jitter: 0.5))
        let steps = Timeline.steps(of: [plan, plan], seed: 9)
        #expect(
            steps == Timeline.steps(of: [plan, plan], seed: 9) && steps != Timeline.steps(of: [plan, plan], seed: 8))
        #expect(steps.count == 40 && steps.map(\.at) == steps.map(\.at).sorted())
        // A further plan leaves the others' moments as they are.
        #expect(Timeline.steps(of: [plan], seed: 9) == steps.filter { $0.plan == 0 })
    }

    @Test func selectorsChoose() {
        func row(_ app: String, _ entry: String) -> ComponentRow {
            ComponentRow(
                id: "\(app)/\(entry)", connector: nil, app: app, entry: "/\(entry)", kind: "headless", state: "running",
                phase: nil, wanted: "up", pid: 1, generation: 1, uptime: nil, restarts: 0, memory: nil, in: nil,
                out: nil)
        }
        let rows = [row("a", "x.js"), row("b", "x.js"), row("b", "y.js")]
        func ids(_ text: String, seed: UInt64 = 1) -> [String]? {
            // Nil where the text is refused; the words of a refusal are tested with the scenario file.
            (try? FaultSelector(text))?.chosen(from: rows, seed: seed).map(\.id)
        }
        #expect(ids("all")?.count == 3 && ids("app=b")?.count == 2 && ids("entry=x.js")?.count == 2)
        #expect(ids("id=b/y.js") == ["b/y.js"] && ids("id=z") == [])
        #expect(
            ids("random:2")?.count == 2 && ids("random:9")?.count == 3 && ids("1%")?.count == 1
                && ids("34%")?.count == 2)
        #expect(ids("random:1", seed: 3) == ids("random:1", seed: 3))
        #expect(Set((0..<50).compactMap { ids("random:1", seed: $0)?.first }).count == 3)
        for wrong in ["", "id=", "random:0", "0%", "everything", "ids=a"] { #expect(ids(wrong) == nil) }
    }
}
