import Control
import Foundation
import Logging
import TestSupport
import Testing

private let (first, second) = ("talk.test/a.mjs", "talk.test/b.mjs")

/// `corehost logs` beside a supervisor and without one, and what becomes of lines when the disk fails.
@Suite struct LogsTests {
    private static func code(_ service: String) -> String {
        """
        w3nRPC.serve('\(service)', {
            say: async (level, text) => { console[level](text); },
            flood: async lines => {
                for (let i = 0; i < lines; i += 1) { console.log(`counted ${i} ${'x'.repeat(200)}`); }
            },
        });
        """
    }

    private func start(folder: TemporaryFolder? = nil) throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "talk.test", ["a.mjs": Self.code("Talk"), "b.mjs": Self.code("Chat")],
                services: ["a.mjs": ["Talk"], "b.mjs": ["Chat"]]),
            folder: folder)
        for id in [first, second] { try supervisor.line("component ready", about: id) }
        return supervisor
    }

    private func say(_ supervisor: RunningSupervisor, _ service: String, _ level: String, _ text: String) throws {
        _ = try supervisor.call("talk.test", service, "say", [.string(level), .string(text)])
    }

    @Test func showsWhatIsAskedFor() throws {
        let supervisor = try start()
        for (service, level, text) in [
            ("Talk", "log", "one"), ("Chat", "warn", "two (2)"), ("Talk", "error", "three"), ("Chat", "debug", "four"),
        ] {
            try say(supervisor, service, level, text)
        }
        func texts(_ arguments: String...) throws -> [String] {
            let command = try RunningSupervisor.corehost(["logs"] + arguments, ["COREHOST_SOCKET": supervisor.socket])
            #expect(command.code == 0, "\(command.lines)")
            return command.lines.filter { $0.contains("|console|") }.map {
                $0.split(separator: "] ", maxSplits: 1).last.map(String.init) ?? ""
            }
        }
        let (one, two) = ("one | at: a.mjs:2", "two (2) | at: b.mjs:2")
        let (three, four) = ("three | at: a.mjs:2", "four | at: b.mjs:2")
        #expect(try texts() == [one, two, three, four])
        #expect(try texts(first) == [one, three])
        #expect(try texts(first, second) == [one, two, three, four])
        #expect(try texts("--level", "warning") == [two, three])
        #expect(try texts("--grep", "two|four") == [two, four])
        #expect(try texts("--grep", "two \\(2\\)") == [two])
        #expect(try texts("-n", "1", first) == [three])
        #expect(try texts("--since", "1h", "--lines", "all").count == 4)
        #expect(try texts("--until", "1h") == [])
        let json = try supervisor.corehost("logs", second, "--json", "--level", "warning").lines.map {
            try LogEntry(json: JSONParser.parse($0)).line
        }
        #expect(json.map(\.text) == ["two (2)"])
        #expect(json.first?.source == .component(id: second, generation: 1) && json.first?.level == .warning)
        #expect(try supervisor.corehost("logs", "nobody").code == 3)
        #expect(try supervisor.end() == 0)
        // Without a supervisor, the files have the same.
        let later = try RunningSupervisor.corehost(["logs", "talk.test/a", "--data", supervisor.data])
        #expect(later.code == 0)
        #expect(later.lines.filter { $0.contains("|console|") }.count == 2)
        #expect(later.lines.contains { $0.contains("] component ended | cause: shutdown | component: \(first)") })
        #expect(try RunningSupervisor.corehost(["logs", "nobody", "--data", supervisor.data]).code == 3)
        #expect(try RunningSupervisor.corehost(["logs", "-f", "--data", supervisor.data]).code == 4)
        #expect(try RunningSupervisor.corehost(["logs", "--data", supervisor.data + "/none"]).code == 4)
    }

    @Test func followsAllThatIsAskedForAndNothingTwice() throws {
        let supervisor = try start()
        _ = try supervisor.call("talk.test", "Talk", "flood", [2000])
        let follower = try RunningProgram(
            "corehost", ["logs", first, "-f", "--lines", "all", "--grep", "counted|end"],
            environment: ["COREHOST_SOCKET": supervisor.socket])
        try follower.line { $0.contains("counted 1999 ") }
        _ = try supervisor.call("talk.test", "Talk", "flood", [1000])
        try say(supervisor, "Chat", "log", "the end of another")
        try say(supervisor, "Talk", "log", "the end")
        try follower.line { $0.contains("] the end |") }
        let numbers = follower.lines.compactMap { line in
            line.firstRange(of: "counted ").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
        }
        #expect(numbers == Array(0..<2000) + Array(0..<1000))
        #expect(!follower.lines.contains { $0.contains("another") })
        #expect(try supervisor.end() == 0)
    }

    @Test func aFolderThatIsRemovedIsMadeAgain() throws {
        let supervisor = try start()
        try say(supervisor, "Talk", "log", "before")
        let logs = supervisor.data + "/logs"
        let follower = try RunningProgram(
            "corehost", ["logs", first, "-f"], environment: ["COREHOST_SOCKET": supervisor.socket])
        try follower.line { $0.contains("] before") }
        try FileManager.default.removeItem(atPath: logs)
        try say(supervisor, "Talk", "log", "after")
        try follower.line { $0.contains("] after") }
        #expect(try supervisor.corehost("logs", first).lines.contains { $0.contains("] before") })
        #expect(try supervisor.row(first).generation == 1)
        #expect(try supervisor.end() == 0)
        let texts = try LogArchive(folder: logs).last(100).map(\.text)
        #expect(texts.contains("after") && texts.contains("supervisor ends"), "\(texts)")
    }

    /// written = stored + reported lost, whatever the disk does.
    @Test(.enabled(if: SmallDisk.canBeMade, "a tmpfs can be mounted by root only"))
    func everyLineIsStoredOrCountedAsLost() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path + "/data", 0o700)
        let disk = try #require(SmallDisk(folder.path + "/data/logs"))
        defer { disk.remove() }
        let supervisor = try start(folder: folder)
        let rounds = 4
        let lines = 1000
        for round in 0..<rounds {
            if round == 1 { try disk.fill() }
            if round == 3 { disk.free() }
            _ = try supervisor.call("talk.test", "Talk", "flood", [JSONValue(lines)])
        }
        #expect(try supervisor.row(first).generation == 1)
        #expect(try supervisor.corehost("events").lines.contains { $0.contains("log-loss") })
        #expect(try supervisor.end() == 0)
        let id: Set = [first]
        var (stored, lost) = (0, 0)
        try LogArchive(folder: disk.path).forEach(of: id) { line in
            if line.text.hasPrefix("counted ") { stored += 1 }
            let isOfTheComponent = line.source.component == first
            // What the component itself could not send.
            if isOfTheComponent, line.text.contains("log lines lost") {
                lost += line.text.split(separator: " ").first.flatMap { Int($0) } ?? 0
            }
            return true
        }
        // What the disk did not take is said in the component's own file.
        let file = try String(contentsOfFile: disk.path + "/talk.test%2Fa.mjs.log", encoding: .utf8)
        for line in file.split(separator: "\n").compactMap({ LogLine(written: String($0)) }) {
            if line.text.hasSuffix("lines before this one are not in this file") {
                lost += (line.fields["lines"] ?? nil).flatMap { Int($0) } ?? 0
            }
        }
        #expect(stored + lost == rounds * lines && lost > 0 && stored > lines, "\(stored) stored, \(lost) lost")
    }

    @Test func underTheJournalLinesHaveTheirPriorityInFront() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        let script = try folder.write(
            """
            #!/bin/sh
            JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2) exec \(RunningProgram.folder)/corehost "$@"
            """, to: "under-the-journal")
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let supervisor = try RunningSupervisor(apps: [:], folder: folder, program: script)
        let lines = supervisor.program.lines
        #expect(lines.contains { $0.hasPrefix("<6>2") && $0.contains("[corehost|info] boot step done") })
        #expect(lines.contains { $0.hasPrefix("<5>2") && $0.contains("[corehost|notice] platform") })
        #expect(try supervisor.end() == 0)
        let elsewhere = try RunningSupervisor(apps: [:], environment: ["JOURNAL_STREAM": "1:2"])
        #expect(!elsewhere.program.lines.contains { $0.hasPrefix("<") })
        #expect(try elsewhere.end() == 0)
    }
}
