import Control
import TestSupport
import Testing

private let id = "look.test/a.mjs"

@Suite struct EvalTests {
    private func start(_ options: [String] = ["--allow-eval"]) throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("look.test", ["a.mjs": "globalThis.state = {count: 7};"]), options: options)
        try supervisor.line("component ready", about: id)
        return supervisor
    }

    @Test func isOffUnlessAllowed() throws {
        let supervisor = try start([])
        for target in [id, "core"] {
            let refused = try supervisor.corehost("eval", target, "1")
            #expect(refused.code == 6)
            #expect(
                refused.lines == [
                    "corehost: eval is off; start the supervisor with `corehost run --allow-eval` to have it"
                ])
        }
        #expect(try supervisor.end() == 0)
    }

    @Test func givesValuesAndSaysWhatWentWrong() throws {
        let supervisor = try start()
        #expect(supervisor.program.lines.contains { $0.contains("EVAL IS ALLOWED: ") })
        func eval(_ text: String, _ target: String = id) throws -> (code: Int32, text: String) {
            let outcome = try supervisor.corehost("eval", target, text, "--timeout", "1s")
            return (outcome.code, outcome.lines.joined(separator: "\n"))
        }
        for (text, value) in [
            ("state", #"{"count":7}"#), ("state.count += 1", "8"), ("state.count", "8"), ("'text'", #""text""#),
            ("undefined", "undefined"), ("Promise.resolve([1])", "[1]"), ("typeof w3n", #""object""#),
            ("new Promise(done => setTimeout(() => done('later'), 20))", #""later""#), ("null", "null"),
            ("const x = 1; x + 1", "2"),
        ] {
            let outcome = try eval(text)
            #expect(outcome.code == 0 && outcome.text == value, "\(text): \(outcome)")
        }
        for (text, reason) in [
            ("nothing.there", "threw: ReferenceError: Can't find variable: nothing"),
            ("throw 5", "threw: Value: 5"), ("(", "threw: SyntaxError: "),
            ("Promise.reject(new Error('no'))", "rejected: Error: no"), ("for (;;);", "ended: it ran for 1.0 seconds"),
            ("new Promise(() => {})", "its promise is still pending after 1.0 seconds"),
            ("({ toJSON() { for (;;); } })", "ended: it ran for"),
        ] {
            let outcome = try eval(text)
            #expect(outcome.code == 1 && outcome.text.hasPrefix("corehost: \(id): \(reason)"), "\(text): \(outcome)")
        }
        #expect(try eval("'x'.repeat(1 << 20)").text.hasSuffix("… cut, 1048578 bytes"))
        #expect(try eval("typeof __coreDispatch", "core").text == #""object""#)
        let loop = try eval("for (;;);", "core")
        #expect(loop.code == 1 && loop.text.hasPrefix("corehost: core: ended: it ran for"))
        // Nobody was harmed.
        #expect(try supervisor.row(id).generation == 1)
        #expect(try eval("nobody", "nobody").code == 3)
        #expect(try supervisor.corehost("stop", id).code == 0)
        #expect(try eval("1").code == 6)
        try supervisor.line("audit: eval: asked | expression: state.count += 1 | id: \(id) | pid: ")
        #expect(try supervisor.end() == 0)
    }

    @Test func endsWithItsComponent() throws {
        let supervisor = try start()
        let waiting = try RunningProgram(
            "corehost",
            [
                "eval", id, "console.log('begun'); new Promise(() => {})", "--timeout", "50s", "--socket",
                supervisor.socket,
            ])
        try supervisor.corehostLogs(id, contain: "] begun")
        #expect(try supervisor.corehost("kill", id).code == 0)
        #expect(try waiting.waitForExit() == 1)
        #expect(waiting.lines == ["corehost: \(id) has ended; see `corehost inspect \(id)`"])
        #expect(try supervisor.end() == 0)
    }
}
