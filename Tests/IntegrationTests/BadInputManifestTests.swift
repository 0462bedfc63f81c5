import Control
import Foundation
import TestSupport
import Testing

/// Apps whose manifests or entry files are wrong, beside a good one.
@Suite struct BadInputManifestTests {
    /// Manifest, or nil for none, of `<name>.test`; and what is said of it.
    private static let manifests: [(name: String, manifest: String?, problem: String)] = [
        ("gone", nil, "is missing; add it or remove the folder"),
        ("json", "{\"appDomain\": ", "is not JSON: JSON Parse error: Unexpected EOF; correct it there"),
        ("list", "[]", "holds []; make it an object"),
        (
            "other", #"{"appDomain": "another.test", "version": "1"}"#,
            #""appDomain" is "another.test" in folder "other.test"; give both the same name"#
        ),
        ("types", #"{"appDomain": "types.test", "version": 3}"#, #""version" is 3; make it a string like "1.0.0""#),
        (
            "runtime",
            #"""
            {"appDomain": "runtime.test", "version": "1", "components": {"/a.js": {"runtime": "node"}},
             "launchOnSystemStartup": [{"component": "/a.js", "name": "a"}]}
            """#, #"component /a.js: "runtime" is "node"; make it "deno" (headless) or "web-gui""#
        ),
        (
            "startup",
            #"""
            {"appDomain": "startup.test", "version": "1", "components": {},
             "launchOnSystemStartup": [{"component": "/a.js", "name": "a"}]}
            """#,
            #""launchOnSystemStartup" has "/a.js", which is no usable deno component of this app; name one of its "#
                + "components: []"
        ),
    ]

    private func apps() -> [String: String] {
        var files = SmallApps.app("good.test", ["a.mjs": SmallApps.echo], services: ["a.mjs": ["Echo"]])
        for (name, manifest, _) in Self.manifests {
            files["\(name).test/app/a.js"] = "console.log('runs')"
            files["\(name).test/manifest.json"] = manifest
        }
        return files
    }

    @Test func eachIsToldOnceEverywhereAndTheOthersStart() throws {
        let supervisor = try RunningSupervisor(apps: apps())
        try supervisor.line("component ready", about: "good.test/a.mjs")
        let expected = Self.manifests.map { "\($0.name).test/manifest.json: \($0.problem)" }.sorted()
        let console = supervisor.program.lines.filter { $0.contains(" | file: ") && $0.contains("[corehost|error] ") }
        #expect(
            console.map { $0.components(separatedBy: "[corehost|error] ")[1].components(separatedBy: " | app: ")[0] }
                == expected)
        let status = try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(10))
        #expect(status.problems == expected)
        #expect(status.components == [.init("running", 1)])
        let shown = try supervisor.corehost("status").lines
        #expect(
            shown.filter { $0.contains("manifest.json: ") }.map { $0.trimmingCharacters(in: .whitespaces) } == expected)
        let inspect = try supervisor.corehost("inspect", "runtime.test")
        #expect(inspect.code == 3)
        #expect(
            inspect.lines == [
                "corehost: no component is called \"runtime.test\" (runtime.test/manifest.json: component /a.js: "
                    + "\"runtime\" is \"node\"; make it \"deno\" (headless) or \"web-gui\"); `corehost ps` lists them"
            ])
        #expect(try supervisor.call("good.test", "Echo", "echo", [1]) == 1)
        #expect(try supervisor.end() == 0)
    }

    @Test func aFolderInAnEntryFilesPlace() throws {
        var apps = SmallApps.app("odd.test", ["a.js": ""])
        apps["odd.test/app/a.js"] = nil
        apps["odd.test/app/a.js/file"] = ""
        let supervisor = try RunningSupervisor(
            apps: apps, configuration: #"{"components": {"*": {"restart": "temporary"}}}"#)
        let ended = try supervisor.line("component ended", about: "odd.test/a.js")
        #expect(ended.text.contains(" | cause: code-unreadable | "))
        #expect(
            ended.text.hasSuffix(
                "reason: /a.js cannot be read: file exception EISDIR, isDirectory: odd.test/app/a.js: Is a directory "
                    + "(EISDIR)"))
        #expect(
            try supervisor.inspect("odd.test/a.js").problems
                == ["odd.test/app/a.js: cannot be read (ENOTFILE); make it a file that can be"])
        #expect(try supervisor.end() == 0)
    }

    @Test func entryFilesThatCannotBeUsedFailUntilTheyAreMended() throws {
        let cases: [(name: String, bytes: [UInt8]?, cause: String, reason: String, problem: String?)] = [
            (
                "missing", nil, "code-missing", "no file /a.js in the app's code folder",
                "is missing; add it, or correct \"components\" in the manifest"
            ),
            ("empty", [], "code-empty", "/a.js is empty", "is empty; put the component's code there"),
            ("text", [0x22, 0xFF, 0x22], "code-not-utf8", "/a.js is not UTF-8 text", nil),
            (
                "large", Array(repeating: UInt8(ascii: " "), count: 33_554_433), "code-too-large",
                "/a.js has 33554433 bytes, over the limit of 33554432",
                "has 33554433 bytes; the limit is 33554432, so split or minify it"
            ),
        ]
        let folder = try TemporaryFolder()
        for (name, bytes, _, _, _) in cases {
            for (file, text) in SmallApps.app("\(name).test", ["a.js": ""]) {
                try folder.write(text, to: "apps/\(file)")
            }
            unlink("\(folder.path)/apps/\(name).test/app/a.js")
            if let bytes { try folder.write(bytes, to: "apps/\(name).test/app/a.js") }
        }
        let supervisor = try RunningSupervisor(apps: [:], folder: folder)
        for (name, _, cause, reason, problem) in cases {
            let id = "\(name).test/a.js"
            let ended = try supervisor.line("component ended", about: id)
            #expect(ended.text.contains("cause: \(cause) | ") && ended.text.hasSuffix("reason: \(reason)"))
            try supervisor.line("component failed", about: id)
            let inspect = try supervisor.inspect(id)
            #expect(inspect.component.state == "failed" && inspect.component.restarts == 0)
            #expect(inspect.lastExit?.cause == cause && inspect.lastExit?.message == reason)
            #expect(
                inspect.problems == ["\(reason); mend it, then `corehost start \(id)`"]
                    + [problem].compactMap { $0.map { "\(name).test/app/a.js: \($0)" } })
            let refused = try supervisor.corehost("start", id)
            #expect(refused.code == 1)
            #expect(refused.lines == ["corehost: \(id): \(reason); see `corehost inspect \(id)`"])
            try folder.write("console.log('mended')", to: "apps/\(name).test/app/a.js")
            #expect(try supervisor.corehost("start", id).lines == ["\(id): running"])
            #expect(try supervisor.inspect(id).problems == [])
        }
        #expect(try supervisor.ps().allSatisfy { $0.state == "running" && $0.generation == 3 })
        #expect(try supervisor.end() == 0)
    }
}
