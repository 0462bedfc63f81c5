import Control
import Foundation
import TestSupport
import Testing

/// Components whose code is wrong, side by side; each end has its cause, its words, and is nobody else's.
@Suite struct BadInputCodeTests {
    struct Case: Sendable {
        let name: String, code: String, cause: String, reason: String
        var isPermanentFault = false
        var exit = 0
    }

    private static let cases = [
        Case(
            name: "syntax", code: "let a = 1;\nlet b = = 2;", cause: "syntax-error",
            reason: "syntax error: bad.test/syntax.js:2: SyntaxError: Unexpected token '='", isPermanentFault: true,
            exit: 22),
        Case(
            name: "import", code: "\nimport x from './x.js';", cause: "syntax-error",
            reason: "syntax error: bad.test/import.js:2: components are not ES modules: use no static import or "
                + "export, and bundle what this imports", isPermanentFault: true, exit: 22),
        Case(
            name: "export", code: "\n\nexport default 1", cause: "syntax-error",
            reason: "syntax error: bad.test/export.js:3: components are not ES modules: use no static import or "
                + "export, and bundle what this imports", isPermanentFault: true, exit: 22),
        Case(
            name: "throws", code: "\nthrow new Error('at once');", cause: "uncaught-error",
            reason: "uncaught error: Error: at once (bad.test/throws.js:2)", exit: 20),
        Case(
            name: "later", code: "setTimeout(() => {\n  throw new TypeError('later'); }, 1);", cause: "uncaught-error",
            reason: "uncaught error: TypeError: later (bad.test/later.js:2)", exit: 20),
        Case(
            name: "rejects", code: "Promise.reject(new Error('nobody cares'));", cause: "unhandled-rejection",
            reason: "unhandled rejection: Error: nobody cares (bad.test/rejects.js:1)", exit: 21),
        Case(
            name: "exception", code: "w3n.storage.getAppLocalFS().then(fs => fs.readTxtFile('none'));",
            cause: "unhandled-rejection",
            reason: "unhandled rejection: file exception ENOENT, notFound: none: there is no such file or folder "
                + "(ENOENT)",
            exit: 21),
        Case(name: "closes", code: "w3n.closeSelf();", cause: "closed-itself", reason: "closed itself"),
        Case(
            name: "loops", code: "for (;;);", cause: "start-timeout",
            reason: "not ready 2 s after its process was started, while starting (preloaded); it took SIGTERM"),
    ]

    private func start(_ configuration: String, _ entries: [String: String]) throws -> RunningSupervisor {
        let good = SmallApps.app("good.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]])
        return try RunningSupervisor(
            apps: SmallApps.app("bad.test", entries).merging(good) { one, _ in one }, configuration: configuration)
    }

    @Test func everyEndHasItsCauseInWords() throws {
        let supervisor = try start(
            #"""
            {"components": {"bad.test": {"restart": "temporary", "startTimeout": "30s"},
                            "bad.test/loops.js": {"startTimeout": "2s"}}}
            """#, Dictionary(uniqueKeysWithValues: Self.cases.map { ("\($0.name).js", $0.code) }))
        try supervisor.line("component ready", about: "good.test/a.mjs")
        for example in Self.cases {
            let id = "bad.test/\(example.name).js"
            let ended = try supervisor.line("component ended", about: id)
            #expect(ended.text.hasSuffix(" | reason: \(example.reason)"), "\(ended.text)")
            try supervisor.line(example.isPermanentFault ? "component failed" : "component down", about: id)
            let inspect = try supervisor.inspect(id)
            #expect(inspect.component.state == (example.isPermanentFault ? "failed" : "down"))
            #expect(inspect.component.pid == nil && inspect.component.connector == nil)
            #expect(inspect.lastExit?.cause == example.cause)
            #expect(inspect.lastExit?.message == example.reason)
            if example.name != "loops" { #expect(inspect.lastExit?.code == example.exit) }
            #expect(
                inspect.problems
                    == (example.isPermanentFault ? ["\(example.reason); mend it, then `corehost start \(id)`"] : []))
            let told = supervisor.program.lines.filter { $0.contains("] core told") && $0.contains(id) }
            #expect(told.count == 1, "\(told)")
        }
        #expect(try supervisor.call("good.test", "Echo", "echo", ["fine"]) == "fine")
        #expect(try supervisor.componentProcesses().count == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func aSyntaxErrorIsMendedWithoutARestartOfThePlatform() throws {
        let supervisor = try start("{}", ["a.js": "let b = = 2;"])
        try supervisor.line("component failed", about: "bad.test/a.js")
        let refused = try supervisor.corehost("start", "bad.test")
        #expect(refused.code == 1)
        #expect(
            refused.lines == [
                "corehost: bad.test/a.js: syntax error: bad.test/a.js:1: SyntaxError: Unexpected token '='; see "
                    + "`corehost inspect bad.test/a.js`"
            ])
        try supervisor.folder.write("let b = 2;", to: "apps/bad.test/app/a.js")
        #expect(try supervisor.corehost("start", "bad.test").lines == ["bad.test/a.js: running"])
        #expect(try supervisor.end() == 0)
    }

    @Test func codeThatNeverSettlesOrLoopsLaterIsReadyAndCanBeStopped() throws {
        let supervisor = try start(
            #"{"components": {"*": {"stopGrace": "300ms"}}}"#,
            ["never.js": "await new Promise(() => {});", "spins.js": "setTimeout(() => { for (;;); }, 0);"])
        for name in ["never", "spins"] { try supervisor.line("component ready", about: "bad.test/\(name).js") }
        #expect(try supervisor.corehost("stop", "bad.test/never").lines == ["bad.test/never.js: down"])
        #expect(try supervisor.corehost("stop", "bad.test/spins").lines == ["bad.test/spins.js: down"])
        let never = try supervisor.inspect("bad.test/never").lastExit
        #expect(never?.cause == "stopped" && never?.code == 0 && never?.message.hasSuffix("uid \(getuid()))") == true)
        let spins = try supervisor.inspect("bad.test/spins").lastExit
        #expect(spins?.cause == "stopped" && spins?.signal == "SIGTERM")
        #expect(spins?.message.hasSuffix("; it took SIGTERM") == true)
        #expect(try supervisor.call("good.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }
}
