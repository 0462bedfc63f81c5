import Control
import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// The tests' own pair of bundles, with changes.
struct PairOfBundles {
    static let original = RunningSupervisor.repository + "/Tests/Fixtures/public-like"
    static let core = "core-3nweb-client-lib.bundle.js"
    static let client = "client-3nweb-client-lib.bundle.js"

    let folder: TemporaryFolder
    var path: String { folder.path + "/pair" }

    /// - Parameters:
    ///   - changes: by file, a text in it and what to put in its place.
    ///   - whole: by file, its whole content; nil = no such file.
    init(
        _ changes: [String: (text: String, replacement: String)] = [:], whole: [String: String?] = [:]
    ) throws {
        folder = try TemporaryFolder()
        for name in [Self.core, Self.client] {
            var text = try String(contentsOf: URL(filePath: "\(Self.original)/\(name)"), encoding: .utf8)
            if let change = changes[name] {
                guard let place = text.firstRange(of: change.text) else {
                    throw TestFailure("\(name) has no text \"\(change.text)\" to replace")
                }
                text.replaceSubrange(place, with: change.replacement)
            }
            if let content = whole[name] {
                guard let content else { continue }
                text = content
            }
            try folder.write(text, to: "pair/\(name)")
        }
    }
}

@Suite struct CoreCheckTests {
    private struct Check {
        let code: Int32
        let lines: [String]
        let scratch: [String]

        /// The line with this status and subject.
        func line(_ status: String, _ subject: String) -> String? {
            lines.first { $0.hasPrefix(status + " ") && $0.dropFirst(14).hasPrefix(subject) }
        }
    }

    /// Runs the check with a folder of its own for scratch folders, and says what is left in it.
    private func check(_ path: String, _ options: String...) throws -> Check {
        let temporary = try TemporaryFolder()
        let program = try RunningProgram(
            "corehost", ["core", "check", path] + options, environment: ["TMPDIR": temporary.path])
        return Check(code: try program.waitForExit(), lines: program.lines, scratch: temporary.names())
    }

    private func nothingIsLeft(_ check: Check) { #expect(check.scratch == []) }

    // MARK: A pair as it should be

    @Test func aPairThatTreatsItsHostAsThePublicOneIsFitForUse() throws {
        let check = try check(PairOfBundles.original)
        #expect(check.code == 0, "\(check.lines)")
        #expect(check.lines.last == "fit for use")
        for name in ["Core.make", "ipc.exposeW3N", "ipc.msgProtoType.unpack", "Buffer", "makeNetClient"] {
            #expect(check.line("ok", "__core3NWeb.\(name)") != nil)
        }
        #expect(check.line("ok", "__client3NWeb.promiseW3Nclient") != nil)
        #expect(check.line("absent", "core.getStorages")?.contains("optional") == true)
        for step in [
            "sign-up", "coreInit", "storage, the core's side", "storage, the client's side",
            "the platform's capabilities", "close", "startDirectlyFromCache", "sign-in",
        ] {
            #expect(check.line("ok", step) != nil, "\(step)")
        }
        #expect(
            check.lines.contains {
                $0.hasPrefix("bundle        core ") && $0.contains("KiB, \(PairOfBundles.core), evaluated in ")
            })
        nothingIsLeft(check)
    }

    @Test func theEmbeddedCoreIsFitForUse() throws {
        let check = try check(RunningSupervisor.resources + "/core")
        #expect(check.code == 0, "\(check.lines)")
        #expect(check.lines.last == "fit for use")
        for step in ["sign-up", "storage, the client's side", "startDirectlyFromCache", "sign-in"] {
            #expect(check.line("ok", step) != nil, "\(step)")
        }
        nothingIsLeft(check)
    }

    @Test func whatWasFoundAsJSON() throws {
        let check = try check(PairOfBundles.original, "--json")
        let report = try JSONParser.parse(check.lines.joined(separator: "\n"))
        #expect(report["schema"] == "corehost.core-check/1")
        #expect(report["valid"] == true)
        #expect(report["folder"] == .string(PairOfBundles.original))
        let core = try #require(report["bundles"]?.array?.first)
        #expect(core["half"] == "core")
        let size =
            try FileManager.default.attributesOfItem(
                atPath: "\(PairOfBundles.original)/\(PairOfBundles.core)")[.size] as? Int
        #expect(core["size"]?.int == size.map(Int64.init))
        #expect((core["evaluation"]?.double ?? 0) > 0)
        let names = try #require(report["names"]?.array)
        #expect(
            names.contains {
                $0["name"] == "__core3NWeb.Core.make" && $0["status"] == "ok" && $0["expected"] == "function"
            })
        let steps = try #require(report["steps"]?.array)
        #expect(steps.allSatisfy { $0["status"] == "ok" && ($0["took"]?.double ?? -1) >= 0 })
    }

    /// Public bundles have 3 to 7 MB.
    @Test func largeBundlesAreTakenAndMeasured() throws {
        let core = try String(
            contentsOf: URL(filePath: "\(PairOfBundles.original)/\(PairOfBundles.core)"), encoding: .utf8)
        let filler = (0..<45_000).map { number in
            "    function f\(number)(a) { const o = { a, b: [1, 2, 3], c: `x${a}` }; return o.b.map(i => i * a); }\n"
        }.joined()
        let pair = try PairOfBundles(whole: [PairOfBundles.core: core + "(() => {\n\(filler)})();\n"])
        let check = try check(pair.path)
        #expect(check.code == 0)
        #expect(
            check.lines.contains { $0.hasPrefix("bundle        core ") && $0.contains(" 4.") && $0.contains(" MiB, ") })
    }

    @Test func severalFilesAsBundleJSONListsThem() throws {
        let pair = try PairOfBundles()
        try pair.folder.write("globalThis.__early = 'yes';", to: "pair/parts/early.js")
        try pair.folder.write("if (__early !== 'yes') { throw new Error('too late'); }", to: "pair/parts/late.js")
        try pair.folder.write(
            """
            {"core": ["parts/early.js", "\(PairOfBundles.core)", "parts/late.js"],
             "client": ["\(PairOfBundles.client)"]}
            """, to: "pair/bundle.json")
        let check = try check(pair.path)
        #expect(check.code == 0, "\(check.lines)")
        #expect(check.lines.contains { $0.hasPrefix("bundle        core ") && $0.contains(", 3 files, ") })
    }

    // MARK: Bundles that are none

    @Test(
        arguments: [
            ("<!doctype html>\n<html></html>\n", "SyntaxError"), ("\u{0}\u{1}\u{2}binary", "SyntaxError"),
            ("var x = 1;\nexport const Core = class {};\n", ":2"), ("import { a } from 'b';\n", "SyntaxError"),
            ("", "__core3NWeb"), ("throw new Error('not today');\n", "Error: not today"), ("throw 'odd';\n", "odd"),
            ("undefined.x;\n", "TypeError"),
        ])
    func whatIsNoBundleIsNamed(text: String, words: String) throws {
        let pair = try PairOfBundles(whole: [PairOfBundles.core: text])
        let check = try check(pair.path)
        #expect(check.code == 15)
        let said = check.line("failed", "evaluate the core bundle") ?? check.line("missing", "__core3NWeb") ?? ""
        #expect(said.contains(words), "\(check.lines)")
        // The other half is looked at all the same.
        #expect(check.line("ok", "__client3NWeb.promiseW3Nclient") != nil)
        #expect(check.line("not tried", "sign-up, start, storage, close") != nil)
        nothingIsLeft(check)
    }

    @Test func filesThatAreNotThere() throws {
        let pair = try PairOfBundles(whole: [PairOfBundles.client: nil])
        let client = try check(pair.path)
        #expect(client.code == 15)
        #expect(client.lines.contains { $0.contains("\(pair.path)/\(PairOfBundles.client): no such file") })
        let none = try check("/nowhere/at-all")
        #expect(none.code == 15)
        #expect(none.lines.contains { $0.contains("/nowhere/at-all/\(PairOfBundles.core): no such file") })
    }

    @Test func aListThatIsNone() throws {
        for (text, words) in [("no JSON", "no list of files under \"core\""), (#"{"core": [1]}"#, "is no text")] {
            let pair = try PairOfBundles()
            try pair.folder.write(text, to: "pair/bundle.json")
            let check = try check(pair.path)
            #expect(check.code == 15)
            #expect(check.lines.contains { $0.contains("bundle.json: ") && $0.contains(words) }, "\(check.lines)")
        }
    }

    // MARK: Names

    @Test(
        arguments: [
            ("    Core, Buffer,\n", "    Buffer,\n", "missing", "__core3NWeb.Core.make"),
            (
                "ObjectsConnector, msgProtoType, exposeW3N,", "ObjectsConnector, msgProtoType,", "missing",
                "__core3NWeb.ipc.exposeW3N"
            ),
            ("exposeStartupW3N: exposeW3N,", "exposeStartupW3N: 7,", "wrong kind", "__core3NWeb.ipc.exposeStartupW3N"),
            ("    Core, Buffer,\n", "    Core, Buffer: {},\n", "wrong kind", "__core3NWeb.Buffer"),
            (
                "ipc: Object.freeze({", "get ipc() { throw new Error('no'); }, unused: Object.freeze({", "wrong kind",
                "__core3NWeb.ipc"
            ),
            ("async startDirectlyFromCache(", "async startFromCache(", "missing", "core.startDirectlyFromCache"),
            (
                "coreInit, coreAppsInit: coreInit", "coreInit: 'now', coreAppsInit: coreInit", "wrong kind",
                "start().coreInit"
            ),
            ("addUser: async", "addUsers: async", "missing", "start().capsForStartup.signUp.addUser"),
        ])
    func aNameThatIsMissingOrOfAnotherKind(text: String, replacement: String, status: String, name: String) throws {
        let pair = try PairOfBundles([PairOfBundles.core: (text, replacement)])
        let check = try check(pair.path)
        #expect(check.code == 15)
        #expect(check.line(status, name) != nil, "\(check.lines)")
        #expect(check.lines.last?.contains("\(name) (\(status))") == true || name.hasSuffix("Core.make"))
        nothingIsLeft(check)
    }

    @Test func aGlobalThatIsNoMemberOfTheGlobalObject() throws {
        let pair = try PairOfBundles([PairOfBundles.client: ("var __client3NWeb =", "const __client3NWeb =")])
        let check = try check(pair.path)
        #expect(check.code == 15)
        #expect(check.line("missing", "__client3NWeb")?.contains("const, let or class of a script") == true)
    }

    // MARK: What never ends

    @Test func aCoreInitThatNeverResolves() throws {
        let pair = try PairOfBundles([PairOfBundles.core: ("this.#signedIn.resolve(address);", "")])
        let check = try check(pair.path, "--timeout", "1s")
        #expect(check.code == 15)
        #expect(check.line("failed", "coreInit")?.contains("no answer after 1 s") == true, "\(check.lines)")
        #expect(check.line("not tried", "makeCAPsForApp") != nil)
        #expect(check.line("ok", "close") != nil)
        nothingIsLeft(check)
    }

    @Test func anEndlessLoop() throws {
        let pair = try PairOfBundles(whole: [PairOfBundles.core: "function spin() { for (;;); }\nspin();\n"])
        let check = try check(pair.path, "--timeout", "500ms")
        #expect(check.code == 15)
        let said = try #require(check.line("failed", "evaluate the core bundle"))
        #expect(said.contains(PairOfBundles.core) && said.contains("one call ran for 500 ms"), "\(said)")
        nothingIsLeft(check)
    }

    /// The engine's own limit does not see these: the thread is left to itself.
    @Test func anEndlessChainOfMicrotasks() throws {
        let pair = try PairOfBundles(whole: [
            PairOfBundles.core: "const spin = () => Promise.resolve().then(spin); spin();\n"
        ])
        let check = try check(pair.path, "--timeout", "500ms")
        #expect(check.code == 15)
        #expect(
            check.lines.contains { $0.hasPrefix("failed") && $0.contains("give their thread no turn") },
            "\(check.lines)")
        nothingIsLeft(check)
    }

    @Test func anInterruptLeavesNothing() throws {
        let pair = try PairOfBundles([PairOfBundles.core: ("this.#signedIn.resolve(address);", "")])
        let temporary = try TemporaryFolder()
        let program = try RunningProgram(
            "corehost", ["core", "check", pair.path, "--timeout", "10m"], environment: ["TMPDIR": temporary.path])
        try program.line { $0.hasPrefix("ok ") && $0.contains("sign-up") }
        #expect(temporary.names().count == 1)
        program.signal(SIGINT)
        #expect(try program.waitForExit() == -SIGINT)
        #expect(temporary.names() == [])
    }

    // MARK: The command line

    @Test func usage() throws {
        for arguments in [
            ["core"], ["core", "check"], ["core", "mend", "/tmp"], ["core", "check", "/tmp", "--timeout", "soon"],
        ] {
            #expect(try RunningSupervisor.corehost(arguments).code == 2)
        }
        #expect(try RunningSupervisor.corehost(["run", "--local", "--core", "/tmp"]).code == 2)
    }

    @Test func noPlaceForScratchFolders() throws {
        let program = try RunningProgram(
            "corehost", ["core", "check", PairOfBundles.original], environment: ["TMPDIR": "/nowhere/at-all"])
        #expect(try program.waitForExit() == 11)
        #expect(program.lines.first?.contains("no scratch folder: /nowhere/at-all/") == true)
    }
}
