import Foundation
import TestSupport
import Testing

@testable import Logging

@Suite struct LogArchiveTests {
    private func line(
        _ text: String, at milliseconds: Int64, component: String? = nil, about: String? = nil
    ) -> LogLine {
        LogLine(
            time: LogTime(milliseconds: milliseconds), level: .info,
            source: component.map { .component(id: $0, generation: 1) } ?? .supervisor,
            stream: component == nil ? .supervisor : .console, text: text,
            fields: about.map { ["component": $0] } ?? [:])
    }

    private func store(in folder: TemporaryFolder, fileBytes: Int = 1 << 20, files: Int = 4) -> LogStore {
        var limits = LogLimits()
        limits.maxFileBytes = fileBytes
        limits.maxFiles = files
        return LogStore(folder: folder.path + "/logs", limits: limits)
    }

    private func all(_ archive: LogArchive, of ids: Set<String>? = nil) -> [String] {
        var texts: [String] = []
        archive.forEach(of: ids) { line in
            texts.append(line.text)
            return true
        }
        return texts
    }

    @Test func givesTheLinesOfAllFilesByTimeOldOnesToo() throws {
        let folder = try TemporaryFolder()
        let store = store(in: folder, fileBytes: 600)
        for number in 0..<60 {
            store.append(line("\(number)", at: Int64(number), component: number % 3 == 0 ? nil : "app/\(number % 3)"))
        }
        #expect(store.close())
        #expect(folder.names(in: "logs").contains("supervisor.log") && folder.names(in: "logs").count > 4)
        let archive = try LogArchive(folder: folder.path + "/logs")
        #expect(all(archive) == (0..<60).map(String.init))
        #expect(archive.last(7).map(\.text) == (53..<60).map(String.init))
        #expect(archive.last(1000).count == 60)
        #expect(archive.last(3, where: { Int($0.text).map { $0 < 30 } ?? false }).map(\.text) == ["27", "28", "29"])
        #expect(archive.last(0).isEmpty)
        #expect(archive.components == ["app/1", "app/2"])
    }

    @Test func readsTheFilesOfWhatIsAskedForOnly() throws {
        let folder = try TemporaryFolder()
        let store = store(in: folder)
        store.append(line("a spawned", at: 1, about: "app/a"))
        store.append(line("a says", at: 2, component: "app/a"))
        store.append(line("b says", at: 3, component: "app/b"))
        store.append(line("one of many", at: 4, component: "app/m#7"))
        store.append(line("another of many", at: 5, component: "app/m#8"))
        #expect(store.close())
        let archive = try LogArchive(folder: folder.path + "/logs")
        let ids: Set = ["app/a"]
        #expect(archive.last(9, of: ids, where: { $0.isAbout(ids) }).map(\.text) == ["a spawned", "a says"])
        let instance: Set = ["app/m#8"]
        #expect(archive.last(9, of: instance, where: { $0.isAbout(instance) }).map(\.text) == ["another of many"])
        #expect(archive.components == ["app/a", "app/b", "app/m"])
        #expect(folder.names(in: "logs") == ["app%2Fa.log", "app%2Fb.log", "app%2Fm.log", "supervisor.log"])
    }

    @Test func whatHappensToTheFilesMeanwhileChangesNothing() throws {
        let folder = try TemporaryFolder()
        let store = store(in: folder, fileBytes: 1000, files: 3)
        for number in 0..<30 { store.append(line("\(number)", at: Int64(number))) }
        while store.report.written < 30 { sched_yield() }
        let archive = try LogArchive(folder: folder.path + "/logs")
        let before = all(archive)
        for number in 30..<100 { store.append(line("\(number)", at: Int64(number))) }
        #expect(store.close())
        #expect(all(archive) == before && before.last == "29")
        try FileManager.default.removeItem(atPath: folder.path + "/logs")
        #expect(archive.last(3).map(\.text) == ["27", "28", "29"])
    }

    @Test func leavesOutWhatIsNoLine() throws {
        let folder = try TemporaryFolder()
        let good = line("good", at: 1).written
        let long = line(String(repeating: "x", count: 16_000), at: 2).written
        try folder.write("torn in the mid\n\(good)\n\0\u{FFFD}\n\(long)\nno end", to: "logs/supervisor.log")
        for name in ["notes.txt", "x.log.old", "x.log.0", "x.log.-1"] { try folder.write(good, to: "logs/\(name)") }
        mkdir(folder.path + "/logs/folder.log", 0o700)
        symlink(folder.path + "/logs/supervisor.log", folder.path + "/logs/link.log")
        let archive = try LogArchive(folder: folder.path + "/logs")
        #expect(all(archive).map(\.count) == [4, 16_000])
        #expect(throws: LogArchiveError(path: folder.path + "/none", errno: ENOENT)) {
            try LogArchive(folder: folder.path + "/none")
        }
    }

    /// Any number of the newest lines, with lines of any length, is what a plain reading gives.
    @Test func theNewestLinesAreThoseAtTheEnd() throws {
        let seed = SeededRandom.seed(for: "the newest lines of an archive")
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let store = store(in: folder, fileBytes: 300_000, files: 3)
        for number in 0..<400 {
            let filler = String(repeating: "x", count: Int.random(in: 0...3000, using: &random))
            store.append(line("\(number) \(filler)", at: Int64(number)))
        }
        #expect(store.close())
        let archive = try LogArchive(folder: folder.path + "/logs")
        let whole = all(archive)
        for count in [1, 2, 100, 399, 400, 401] {
            #expect(archive.last(count).map(\.text) == Array(whole.suffix(count)), "\(count), seed \(seed)")
        }
    }

    @Test func linesThatComeTooFastAreCountedToldAndSaidInTheFile() throws {
        let folder = try TemporaryFolder()
        var limits = LogLimits()
        limits.maxQueueBytes = 200
        let store = LogStore(folder: folder.path + "/logs", limits: limits)
        var states: [LogFilesState] = []
        store.onFilesChange = { state, _ in states.append(state) }
        for number in 0..<3 { store.append(line(String(repeating: "x", count: 1000), at: Int64(number))) }
        store.append(line("short", at: 4))
        #expect(store.close())
        #expect(states == [.behind, .well])
        #expect(store.report == LogWriterReport(written: 1, lost: 0, dropped: 3, failure: nil))
        let archive = try LogArchive(folder: folder.path + "/logs")
        #expect(Set(all(archive)) == ["3 lines before this one are not in this file", "short"])
        #expect(store.recent(.all, last: 10).count == 6)
    }

    @Test func whatIsMissingAtTheEndIsSaidInTheFile() throws {
        let folder = try TemporaryFolder()
        let logs = folder.path + "/logs"
        close(open(logs, O_CREAT | O_WRONLY, 0o600))
        let store = LogStore(folder: logs)
        for number in 0..<5 { store.append(line("\(number)", at: 1)) }
        while store.report.lost < 5 { sched_yield() }
        unlink(logs)
        #expect(store.close())
        #expect(all(try LogArchive(folder: logs)) == ["5 lines before this one are not in this file"])
    }
}
