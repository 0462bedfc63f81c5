import Control
import Foundation
import TestSupport
import Testing

private let id = "shape.test/a.mjs"

/// What commands write with `--json` is what the published schemas say.
@Suite struct SchemaTests {
    private let folder = RunningSupervisor.repository + "/docs/schemas"

    private func expectDescribed(
        _ value: JSONValue, as word: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(value["schema"] == .string("corehost.\(word)/1"), sourceLocation: location)
        #expect(try JSONSchema(of: value).problems(of: value) == [], sourceLocation: location)
    }

    @Test func theRunningPlatform() throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("shape.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]]),
            options: ["--allow-eval"])
        try supervisor.line("component ready", about: id)
        func whole(_ arguments: String...) throws -> JSONValue {
            let outcome = try RunningSupervisor.corehost(
                arguments + ["--json"], ["COREHOST_SOCKET": supervisor.socket])
            #expect(outcome.code == 0, "\(arguments): \(outcome.lines)")
            return try JSONParser.parse(outcome.lines.joined(separator: "\n"))
        }
        try expectDescribed(whole("inspect", id), as: "inspect")
        #expect(try supervisor.corehost("kill", id).code == 0)
        let exited = try supervisor.line("component exited", about: id)
        try supervisor.line("component ready", about: id, from: exited.number)
        for (word, arguments) in [
            ("ps", ["ps"]), ("ps", ["ps", "--tree"]), ("inspect", ["inspect", id]), ("doctor", ["doctor"]),
            ("why", ["why", id]), ("deaths", ["deaths", id]), ("death", ["deaths", id, "last"]),
            ("eval", ["eval", "core", "1"]), ("call", ["call", "shape.test", "Echo", "echo", "[1]"]),
            ("status", ["status"]), ("version", ["version"]), ("users", ["users"]), ("apps", ["apps", "list"]),
            ("reload", ["reload"]), ("tasks", ["tasks"]),
            ("manifest", ["apps", "show", "shape.test"]),
            ("component", ["restart", id]), ("component", ["kill", id, "--signal", "SIGCONT"]),
            ("component", ["stop", id]), ("component", ["start", id]), ("component", ["stop", id]),
            ("inspect", ["inspect", id]), ("ps", ["ps"]),
        ] {
            let outcome = try RunningSupervisor.corehost(
                arguments + ["--json"], ["COREHOST_SOCKET": supervisor.socket])
            #expect(outcome.code == 0, "\(arguments): \(outcome.lines)")
            try expectDescribed(JSONParser.parse(outcome.lines.joined(separator: "\n")), as: word)
        }
        for (word, command) in [("log", "logs"), ("event", "events"), ("audit-record", "audit")] {
            let lines = try supervisor.corehost(command, "--json").lines
            #expect(lines.count > 5)
            for line in lines { try expectDescribed(JSONParser.parse(line), as: word) }
        }
        // What only programs see.
        let client = try RawClient(supervisor.socket)
        for method in ["logs", "events", "audit"] {
            client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
            try expectDescribed(try #require(client.line()?["result"]), as: method)
        }
        try expectDescribed(whole("shutdown"), as: "shutdown")
        #expect(try supervisor.program.waitForExit() == 0)
    }

    @Test func logins() throws {
        let supervisor = try RunningSupervisor(isLocal: false)
        let password = try supervisor.folder.write("a long password", to: "password")
        chmod(password, 0o600)
        for (word, arguments) in [
            ("login", ["signup", "ada@example.org", "--password-file", password]), ("users", ["users"]),
            ("autologin", ["autologin"]), ("status", ["status"]), ("login", ["logout"]), ("ps", ["ps"]),
        ] {
            let outcome = try RunningSupervisor.corehost(
                arguments + ["--json"], ["COREHOST_SOCKET": supervisor.socket])
            #expect(outcome.code == 0, "\(arguments): \(outcome.lines)")
            try expectDescribed(JSONParser.parse(outcome.lines.joined(separator: "\n")), as: word)
        }
        #expect(try supervisor.end() == 0)
    }

    @Test func commandsThatNeedNoPlatform() throws {
        let folder = try TemporaryFolder()
        let good = try folder.write("{\"components\": {\"*\": {\"maxRestarts\": 2}}}", to: "good.jsonc")
        let bad = try folder.write("{\"componets\": 1}", to: "bad.jsonc")
        for (word, arguments) in [
            ("config-check", ["config", "check", "--config", good]),
            ("config-check", ["config", "check", "--config", bad]),
            ("config", ["config", "show", "a.b/c.js", "--config", good]),
            ("policy", ["policy", "explain", "--config", good]), ("simulate", ["simulate", "--hours", "0.1"]),
            ("version", ["version"]),
            ("core-check", ["core", "check", RunningSupervisor.repository + "/Tests/Fixtures/public-like"]),
        ] {
            let outcome = try RunningSupervisor.corehost(arguments + ["--json"], ["HOME": folder.path])
            let text = outcome.lines.filter { !$0.hasPrefix("corehost: ") }.joined(separator: "\n")
            try expectDescribed(JSONParser.parse(text), as: word)
        }
        try expectDescribed(AppReply(app: "a", version: nil).json, as: "app")
        try expectDescribed(OpenURLReply(app: "a", outcome: "after-login").json, as: "open-url")
        try expectDescribed(WakeReply(task: "a", component: "b/c", outcome: "queued").json, as: "wake")
    }

    @Test func everySchemaIsOneAndIsInUse() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.allSatisfy { $0.hasSuffix(".json") } && names.count > 20)
        for name in names {
            let word = String(name.dropLast(".json".count))
            let schema = try JSONParser.parse(try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
            #expect(schema["properties"]?["schema"]?["const"] == .string("corehost.\(word)/1"))
            #expect(schema["$id"] == .string("urn:corehost:\(word):1"))
            // A keyword that nobody checks would be found with any value.
            #expect(try JSONSchema(word).problems(of: [:]).allSatisfy { !$0.contains("is not known") })
        }
    }

    @Test func theValidatorFindsWhatIsWrong() throws {
        let schema = try JSONSchema("version")
        let right: JSONValue = [
            "schema": "corehost.version/1", "version": "1", "swift": .null, "libuv": "1", "engine": "2",
        ]
        #expect(schema.problems(of: right) == [])
        func problem(_ members: [JSONValue.Member]) -> String? {
            schema.problems(of: .object(members)).first.flatMap {
                $0.split(separator: ": ", maxSplits: 1).last.map(String.init)
            }
        }
        let members = right.members ?? []
        #expect(problem(members.dropLast()) == "$.engine is missing")
        #expect(problem(members + [.init("more", 1)]) == "$.more is not described")
        #expect(problem(members.dropLast() + [.init("engine", 1)]) == "$.engine is no string or null: 1")
        #expect(problem([.init("schema", "x")] + members.dropFirst()) == #"$.schema is not "corehost.version/1""#)
    }
}
