import Glibc
import TestSupport
import Testing

@testable import Logging

@Suite struct LogStoreTests {
    private func line(_ text: String, at milliseconds: Int64 = 0, component: String? = nil) -> LogLine {
        LogLine(
            time: LogTime(milliseconds: milliseconds), level: .info,
            source: component.map { .component(id: $0, generation: 1) } ?? .supervisor,
            stream: component == nil ? .supervisor : .console, text: text)
    }

    @Test func writesOneFileForEachSource() throws {
        let folder = try TemporaryFolder()
        let store = LogStore(folder: folder.path + "/logs")
        store.append(line("a"))
        store.append(line("b", component: "chat.app/bg.mjs"))
        store.append(line("c", component: "../etc#1"))
        #expect(store.close())
        #expect(folder.names(in: "logs") == ["%2E.%2Fetc.log", "chat.app%2Fbg.mjs.log", "supervisor.log"])
        #expect(folder.text(of: "logs/supervisor.log") == "1970-01-01T00:00:00.000Z [corehost|info] a\n")
        #expect(store.report == LogWriterReport(written: 3, lost: 0, dropped: 0, failure: nil))
    }

    @Test func mergesTheLinesOfAllSourcesInOrder() {
        let store = LogStore(folder: nil)
        for number in 0..<6 { store.append(line("\(number)", component: number % 2 == 0 ? "even" : nil)) }
        #expect(store.recent(.all, last: 4).map(\.text) == ["2", "3", "4", "5"])
        #expect(store.recent(.component("even"), last: 2).map(\.text) == ["2", "4"])
        #expect(store.recent(.supervisor, last: 100).map(\.text) == ["1", "3", "5"])
        #expect(store.recent(.component("odd"), last: 100).isEmpty)
    }

    @Test func aComponentsLinesAreItsOwnAndTheSupervisorsAboutIt() {
        let store = LogStore(folder: nil)
        var seen: [String] = []
        let leave = store.subscribe(.component("a")) { seen.append($0.text) }
        for (id, text) in [("a", "spawned"), ("b", "spawned too")] {
            store.append(
                LogLine(
                    level: .info, source: .supervisor, stream: .supervisor, text: text, fields: ["component": id]))
        }
        store.append(line("hello", component: "a"))
        store.append(line("other", component: "b"))
        leave()
        #expect(seen == ["spawned", "hello"])
        #expect(store.recent(.component("a"), last: 10).map(\.text) == ["spawned", "hello"])
        #expect(store.recent(.component("a"), last: 1).map(\.text) == ["hello"])
    }

    @Test func keepsAsManyRecentLinesAsTheBoundsAllow() {
        var limits = LogLimits()
        limits.maxRecentLines = 10
        limits.maxRecentBytes = 3000
        let store = LogStore(folder: nil, limits: limits)
        for number in 0..<1000 { store.append(line("\(number)")) }
        #expect(store.recent(.supervisor, last: 100).map(\.text) == (990..<1000).map(String.init))
        store.append(line(String(repeating: "x", count: 2500)))
        #expect(store.recent(.supervisor, last: 100).count < 4)
        store.append(line(String(repeating: "x", count: 9000)))
        #expect(store.recent(.supervisor, last: 100).count == 1)
    }

    @Test func showsLinesFromBeforeARestart() throws {
        let folder = try TemporaryFolder()
        let first = LogStore(folder: folder.path)
        first.append(line("one", at: 1))
        first.append(line("two", at: 2, component: "a/b"))
        first.append(line("three", at: 3))
        #expect(first.close())
        let second = LogStore(folder: folder.path)
        second.append(line("four", at: 4))
        #expect(second.recent(.all, last: 10).map(\.text) == ["one", "two", "three", "four"])
        #expect(second.recent(.component("a/b"), last: 10) == [line("two", at: 2, component: "a/b")])
        #expect(second.close())
    }

    @Test func rotatesBySizeAndKeepsTheNewestFiles() throws {
        let folder = try TemporaryFolder()
        var limits = LogLimits()
        limits.maxFileBytes = 1000
        limits.maxFiles = 3
        let store = LogStore(folder: folder.path, limits: limits)
        for number in 0..<200 { store.append(line("\(number)")) }
        #expect(store.close())
        #expect(folder.names() == ["supervisor.log", "supervisor.log.1", "supervisor.log.2"])
        let kept = ["supervisor.log.2", "supervisor.log.1", "supervisor.log"].map { folder.text(of: $0) }
        #expect(kept.allSatisfy { $0.utf8.count <= 1000 })
        let texts = kept.joined().split(separator: "\n").compactMap { LogLine(written: String($0))?.text }
        #expect(texts == (200 - texts.count..<200).map(String.init))
        #expect(texts.count > 30)
    }

    @Test func mendsALineThatACrashLeftTorn() throws {
        let folder = try TemporaryFolder()
        let file = LogFile(path: folder.path + "/x.log", maxBytes: 1000, maxFiles: 2)
        try file.append(Array("half".utf8))
        try file.append(Array("whole\n".utf8))
        #expect(folder.text(of: "x.log") == "half\nwhole\n")
    }

    @Test func handsLinesToSubscribersUntilTheyLeave() {
        let store = LogStore(folder: nil)
        var seen: [String] = []
        let leaveAll = store.subscribe(.all) { seen.append("all " + $0.text) }
        let leaveOne = store.subscribe(.component("a")) { seen.append("a " + $0.text) }
        store.append(line("1"))
        store.append(line("2", component: "a"))
        leaveOne()
        store.append(line("3", component: "a"))
        leaveAll()
        store.append(line("4", component: "a"))
        #expect(seen == ["all 1", "all 2", "a 2", "all 3"])
    }

    @Test func countsWhatADiskDoesNotTakeAndRecovers() throws {
        let folder = try TemporaryFolder()
        // A file where the folder should be: every write fails until it goes.
        let logs = folder.path + "/logs"
        close(open(logs, O_CREAT | O_WRONLY, 0o600))
        let store = LogStore(folder: logs)
        for number in 0..<5 { store.append(line("\(number)")) }
        while store.report.lost < 5 { sched_yield() }
        unlink(logs)
        store.append(line("5"))
        while store.report.written == 0 { sched_yield() }
        store.append(line("6"))
        #expect(store.close())
        #expect(store.report == LogWriterReport(written: 2, lost: 5, dropped: 0, failure: nil))
        let texts = folder.text(of: "logs/supervisor.log").split(separator: "\n").compactMap {
            LogLine(written: String($0))?.text
        }
        #expect(texts == ["5 lines before this one are not in this file", "5", "6"])
        let recent = store.recent(.supervisor, last: 100).map(\.text)
        #expect(recent.filter { $0 == "log files are written again" }.count == 1)
        #expect(
            recent.contains(
                "cannot write \(logs)/supervisor.log: Not a directory; lines stay in memory until it can be written "
                    + "again: free some space there"))
    }

    @Test func saysWhatAFileMet() throws {
        let full = LogFile(path: "/dev/full", maxBytes: 1000, maxFiles: 2)
        #expect(throws: LogFileError(path: "/dev/full", errno: ENOSPC)) { try full.append(Array("x\n".utf8)) }
        let folder = try TemporaryFolder()
        symlink("/dev/null", folder.path + "/link")
        let link = LogFile(path: folder.path + "/link", maxBytes: 1000, maxFiles: 2)
        #expect(throws: LogFileError(path: folder.path + "/link", errno: ELOOP)) {
            try link.append(Array("x\n".utf8))
        }
    }

    /// Mounting needs rights that not every machine gives.
    private static let mayMount: Bool = {
        guard let folder = try? TemporaryFolder(), mount("none", folder.path, "tmpfs", 0, "size=64k") == 0 else {
            return false
        }
        return umount(folder.path) == 0
    }()

    @Test(.enabled(if: mayMount)) func aFullDiskTakesWholeLinesOrNoneAndRecovers() throws {
        let folder = try TemporaryFolder()
        try #require(mount("none", folder.path, "tmpfs", 0, "size=64k") == 0)
        defer { umount(folder.path) }
        let store = LogStore(folder: folder.path + "/logs")
        let long = String(repeating: "x", count: 1000)
        for number in 0..<200 {
            store.append(line("\(number) \(long)"))
        }
        while store.report.written + store.report.lost < 200 { sched_yield() }
        #expect(store.report.lost > 100 && store.report.written > 20)
        #expect(store.report.failure?.errno == ENOSPC)
        func texts() -> [String] {
            folder.text(of: "logs/supervisor.log").split(separator: "\n").compactMap {
                LogLine(written: String($0))?.text
            }
        }
        let mark = " lines before this one are not in this file"
        // Where room came for a moment, the old file tells of some of them.
        let told = texts().filter { $0.hasSuffix(mark) }.compactMap { Int($0.dropLast(mark.count)) }.reduce(0, +)
        unlink(folder.path + "/logs/supervisor.log")
        store.append(line("after"))
        #expect(store.close())
        #expect(store.report.failure == nil)
        #expect(texts() == ["\(store.report.lost - told)\(mark)", "after"])
    }

    /// Short lines still find room where long ones do not: that is no recovery.
    @Test(.enabled(if: mayMount)) func aDiskThatIsNearlyFullIsToldOnce() throws {
        let folder = try TemporaryFolder()
        try #require(mount("none", folder.path, "tmpfs", 0, "size=64k") == 0)
        defer { umount(folder.path) }
        let store = LogStore(folder: folder.path + "/logs")
        let long = String(repeating: "x", count: 3000)
        var count = 0
        func append(_ text: String, component: String? = nil) {
            store.append(line(text, component: component))
            count += 1
            while store.report.written + store.report.lost < count { sched_yield() }
        }
        append("other", component: "a")
        while store.report.lost == 0 { append(long) }
        let written = store.report.written
        for _ in 0..<20 {
            append("short")
            append("short", component: "a")
            append(long)
        }
        #expect(store.report.written > written)
        let texts = store.recent(.supervisor, last: 1000).map(\.text)
        #expect(texts.count { $0.hasPrefix("cannot write") } == 1)
        #expect(!texts.contains("log files are written again"))
        unlink(folder.path + "/logs/supervisor.log")
        append("after")
        append("and again")
        #expect(store.recent(.supervisor, last: 1000).map(\.text).contains("log files are written again"))
        #expect(store.close())
    }

    @Test func aFileThatCannotBeWrittenIsToldOnce() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path + "/supervisor.log", 0o700)
        let store = LogStore(folder: folder.path)
        for round in 1...5 {
            store.append(line("s"))
            store.append(line("c", component: "a"))
            while store.report.written + store.report.lost < 2 * round { sched_yield() }
        }
        store.append(line("c", component: "a"))
        #expect(store.close())
        #expect(store.report.failure == LogFileError(path: folder.path + "/supervisor.log", errno: EISDIR))
        #expect(store.recent(.supervisor, last: 100).filter { $0.text.hasPrefix("cannot write") }.count == 1)
        #expect(store.recent(.supervisor, last: 100).count == 6)
    }

    @Test func givesNoMoreRecentLinesThanTheBoundOfBytes() {
        let store = LogStore(folder: nil)
        for number in 0..<10 { store.append(line("\(number)" + String(repeating: "x", count: 1000))) }
        #expect(store.recent(.all, last: 10, maxBytes: 3500).map { $0.text.prefix(1) } == ["7", "8", "9"])
    }

    @Test func aFullQueueDropsAndCounts() throws {
        let queue = LogQueue(maxBytes: 10)
        #expect(queue.put(Array("12345678\n".utf8), file: "a").dropped == 0)
        #expect(queue.put(Array("12\n".utf8), file: "a").dropped == 1)
        let batch = try #require(queue.take())
        #expect(batch.lines == ["a": [Array("12345678\n".utf8)]])
        #expect(batch.dropped == ["a": 1])
        #expect(queue.put(Array("12\n".utf8), file: "a").dropped == 1)
    }

    @Test func givesUpWaitingForADiskThatDoesNotAnswer() {
        let queue = LogQueue(maxBytes: 10)
        _ = queue.put(Array("1\n".utf8), file: "a")
        #expect(!queue.close(within: 0.01))
        queue.writerHasFinished()
        #expect(queue.close(within: 0.01))
    }

    @Test func namesAreSafeAndDifferent() {
        let ids = [
            "supervisor", "a/b", "a%2Fb", "a.b", ".a", "", "ä", String(repeating: "x", count: 300),
            String(repeating: "x", count: 301),
        ]
        let names = ids.map { LogFileName.of(component: $0) } + [LogFileName.of(component: nil)]
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { !$0.contains("/") && !$0.hasPrefix(".a") && $0.utf8.count < 220 })
    }
}
