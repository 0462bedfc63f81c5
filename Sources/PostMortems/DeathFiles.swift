internal import CSystem
public import Control
internal import Glibc
internal import Logging

/// What is kept of ended lives: one file for each component, a line of JSON for each life, the last ones only.
///
/// Used by one thread at a time, which may wait for the disk. Nothing here throws: what the disk does not take stays in
/// memory, bounded, and what falls out of there is counted as lost.
public final class DeathFiles {
    public struct Limits: Sendable {
        /// Of one component.
        public var deaths = 100
        public var fileBytes = 1 << 20
        /// Beyond so many files the one that was longest unchanged goes.
        public var files = 256
        /// That wait in memory for a disk that takes nothing, of one component.
        public var waiting = 10

        public init() {}
    }

    public struct Report: Equatable, Sendable {
        /// Written since the start.
        public var written = 0
        /// Neither on the disk nor in memory any more.
        public var lost = 0
        /// Lines that cannot be read: damaged, or of another version.
        public var damaged = 0
        /// Why the disk does not take any; nil: it does.
        public var failure: String?

        public init() {}
    }

    public static let schema = "corehost.death/1"

    private struct Shelf {
        var lines = 0
        var bytes = 0
        var lastNumber: Int64 = 0
        /// The last line has no end: a write was cut off.
        var isTorn = false
        /// Lines that the disk has not taken.
        var waiting: [[UInt8]] = []
    }

    private let folder: String
    private let limits: Limits
    private var shelves: [String: Shelf] = [:]
    public private(set) var report = Report()

    public init(folder: String, limits: Limits = Limits()) {
        self.folder = folder
        self.limits = limits
    }

    // MARK: Writing

    /// Keeps a death, with a number behind those that are there; `schema` and `number` are put in front of its members.
    public func append(_ death: [JSONValue.Member], of component: String) {
        let name = Self.fileName(component)
        var shelf = shelves[name] ?? load(name)
        shelf.lastNumber += 1
        let value = JSONValue.object(
            [.init("schema", .string(Self.schema)), .init("number", .int(shelf.lastNumber))] + death)
        shelf.waiting.append(Array(JSONWriter.text(value).utf8) + [UInt8(ascii: "\n")])
        do throws(FileFailure) {
            if shelf.lines == 0 { try makeRoom() }
            try write(&shelf, to: name)
            report.failure = nil
        } catch {
            report.failure = "\(error)"
            let dropped = max(0, shelf.waiting.count - limits.waiting)
            shelf.waiting.removeFirst(dropped)
            report.lost += dropped
        }
        shelves[name] = shelf
    }

    private func write(_ shelf: inout Shelf, to name: String) throws(FileFailure) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw FileFailure("mkdir", folder) }
        let path = "\(folder)/\(name)"
        let bytes = (shelf.isTorn ? [UInt8(ascii: "\n")] : []) + shelf.waiting.flatMap { $0 }
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure("open", path) }
        let size = lseek(file, 0, SEEK_END)
        let count = bytes.withUnsafeBytes { bytes in
            chs_disk_write(Int32(CHS_DISK_LOGS.rawValue)) == 0 ? Glibc.write(file, bytes.baseAddress, bytes.count) : -1
        }
        let code = errno
        if count != bytes.count {
            // Half a line would be taken for a damaged one.
            if count > 0, size >= 0 { ftruncate(file, size) }
            close(file)
            throw FileFailure("write", path, count < 0 ? code : ENOSPC)
        }
        close(file)
        shelf.isTorn = false
        shelf.lines += shelf.waiting.count
        shelf.bytes += bytes.count
        report.written += shelf.waiting.count
        shelf.waiting = []
        if shelf.lines > limits.deaths + limits.deaths / 2 || shelf.bytes > limits.fileBytes {
            try rewrite(&shelf, path)
        }
    }

    /// Only the last ones stay: as many as there may be, in at most half of a file's bytes.
    private func rewrite(_ shelf: inout Shelf, _ path: String) throws(FileFailure) {
        var room = limits.fileBytes / 2
        var kept: [[UInt8]] = []
        for line in lines(path).reversed() {
            guard kept.count < limits.deaths, line.bytes.count < room else { break }
            room -= line.bytes.count + 1
            kept.append(line.bytes + [UInt8(ascii: "\n")])
        }
        let bytes = kept.reversed().flatMap { $0 }
        let new = path + ".new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure("open", new) }
        let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        let code = errno
        close(file)
        guard count == bytes.count, rename(new, path) == 0 else {
            let reason = count < 0 ? code : count == bytes.count ? errno : ENOSPC
            unlink(new)
            throw FileFailure("rewrite", path, reason)
        }
        shelf.lines = kept.count
        shelf.bytes = bytes.count
    }

    private func makeRoom() throws(FileFailure) {
        let names = fileNames()
        guard names.count >= limits.files else { return }
        let oldest = names.min { changed($0) < changed($1) }
        guard let oldest else { return }
        guard unlink("\(folder)/\(oldest)") == 0 else { throw FileFailure("unlink", "\(folder)/\(oldest)") }
        shelves[oldest] = nil
    }

    private func changed(_ name: String) -> Int64 {
        var status = stat()
        guard stat("\(folder)/\(name)", &status) == 0 else { return 0 }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    // MARK: Reading

    /// Oldest first.
    public func read(_ component: String) -> [JSONValue] {
        let name = Self.fileName(component)
        if shelves[name] == nil { shelves[name] = load(name) }
        let waiting = shelves[name]?.waiting.compactMap { Self.parse($0.dropLast()) } ?? []
        return (lines("\(folder)/\(name)").map(\.value) + waiting).suffix(limits.deaths)
    }

    /// The last `count` of every component that deaths are kept of, by its id without an instance.
    public func latest(_ count: Int) -> [String: [JSONValue]] {
        var found: [String: [JSONValue]] = [:]
        for name in fileNames() {
            if shelves[name] == nil { shelves[name] = load(name) }
            let last = lines("\(folder)/\(name)").suffix(count).map(\.value)
            guard let component = last.last?["component"]?.string else { continue }
            found[LogFileName.withoutInstance(component)] = last
        }
        return found
    }

    /// Instances of one component share a file.
    private static func fileName(_ component: String) -> String {
        LogFileName.of(component: component).replacingSuffix(".log", by: suffix)
    }

    private static let suffix = ".jsonl"

    private func fileNames() -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(Self.suffix) { names.append(name) }
        }
        return names
    }

    /// Counts what cannot be read, once for each file.
    private func load(_ name: String) -> Shelf {
        let bytes = content("\(folder)/\(name)")
        let all = bytes.split(separator: UInt8(ascii: "\n"))
        let values = all.compactMap(Self.parse)
        report.damaged += all.count - values.count
        return Shelf(
            lines: all.count, bytes: bytes.count, lastNumber: values.last?["number"]?.int ?? 0,
            isTorn: bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false)
    }

    /// Those that can be read.
    private func lines(_ path: String) -> [(bytes: [UInt8], value: JSONValue)] {
        content(path).split(separator: UInt8(ascii: "\n")).compactMap { line in
            Self.parse(line).map { (Array(line), $0) }
        }
    }

    private static func parse(_ line: ArraySlice<UInt8>) -> JSONValue? {
        guard let value = try? JSONParser.parse(String(decoding: line, as: UTF8.self)),
            value["schema"]?.string == schema, value["number"]?.int != nil
        else { return nil }  // counted by `load`
        return value
    }

    /// Nothing where there is no file, or none that can be read; of one that is far too long the end.
    private func content(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        let most = 2 * limits.fileBytes
        lseek(file, max(0, status.st_size - most), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: min(status.st_size, most))
        var filled = 0
        while filled < bytes.count {
            let count = bytes[filled...].withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }
}

/// `open /data/deaths/a.jsonl: No space left on device`.
private struct FileFailure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ path: String, _ code: Int32 = errno) {
        let words = chs_errno_text(code).map { String(cString: $0) } ?? "errno \(code)"
        description = "\(call) \(path): \(words)"
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, by other: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + other : self + other
    }
}
