import Glibc

/// A folder of log files that cannot be read.
public struct LogArchiveError: Error, Equatable, CustomStringConvertible {
    public let path: String
    public let errno: Int32

    public var description: String { "cannot read \(path): \(String(cString: strerror(errno)))" }
}

/// All lines in a folder of log files, the older files included, as they are at one moment: files that are rotated or
/// written meanwhile change nothing, as they are all held open. What is no line (torn by a crash, edited by hand) is
/// left out.
public final class LogArchive {
    private var sources: [String: LogArchiveSource] = [:]

    /// - Throws: `LogArchiveError` for the folder. A file that cannot be opened is left out.
    public init(folder: String) throws(LogArchiveError) {
        guard let entries = opendir(folder) else { throw LogArchiveError(path: folder, errno: errno) }
        defer { closedir(entries) }
        var names: [String: [Int]] = [:]
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let (base, number) = LogFileName.split(name) else { continue }
            names[base, default: []].append(number)
        }
        for (base, numbers) in names {
            // Newest first: a rotation between two opens then shows a file twice, never not at all.
            let paths = numbers.sorted().map { $0 == 0 ? "\(folder)/\(base)" : "\(folder)/\(base).\($0)" }
            sources[base] = LogArchiveSource(newestFirst: paths)
        }
    }

    /// Ids of components whose lines are here; of one with many instances that without a number.
    public lazy var components: [String] = sources.values.compactMap(\.component).sorted()

    /// The newest `count` lines that are wanted, in the order of time.
    public func last(
        _ count: Int, of ids: Set<String>? = nil, where wants: (LogLine) -> Bool = { _ in true }
    ) -> [LogLine] {
        let lines = chosen(ids).flatMap { $0.last(count, where: wants) }
        // Stable, so lines of one moment keep the order of their file.
        return Array(lines.sorted { $0.time < $1.time }.suffix(count))
    }

    /// Gives every line that is wanted, those of all files by time, until `use` says false.
    public func forEach(
        of ids: Set<String>? = nil, where wants: (LogLine) -> Bool = { _ in true }, _ use: (LogLine) throws -> Bool
    ) rethrows {
        var cursors = chosen(ids).map { LogArchiveCursor($0, from: 0) }
        var heads = cursors.indices.map { cursors[$0].next(where: wants) }
        while true {
            var next: (index: Int, line: LogLine)?
            for (index, head) in heads.enumerated() {
                if let head, next.map({ head.time < $0.line.time }) ?? true { next = (index, head) }
            }
            guard let (index, line) = next, try use(line) else { return }
            heads[index] = cursors[index].next(where: wants)
        }
    }

    /// What the supervisor says about a component is in its own file.
    private func chosen(_ ids: Set<String>?) -> [LogArchiveSource] {
        let names = ids.map { Set($0.map { LogFileName.of(component: $0) } + [LogFileName.of(component: nil)]) }
        return sources.filter { names?.contains($0.key) ?? true }.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// The files of one source, as one text.
final class LogArchiveSource {
    /// Oldest first: descriptor, and where the file begins and ends in the whole.
    private var files: [(descriptor: Int32, range: Range<Int>)] = []
    private(set) var size = 0

    init(newestFirst paths: [String]) {
        var seen: Set<[UInt64]> = []
        var opened: [(descriptor: Int32, size: Int)] = []
        for path in paths {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted
            else {
                close(descriptor)
                continue
            }
            opened.append((descriptor, Int(status.st_size)))
        }
        for (descriptor, length) in opened.reversed() {
            files.append((descriptor, size..<size + length))
            size += length
        }
    }

    deinit { for file in files { close(file.descriptor) } }

    /// By its first lines.
    var component: String? {
        var cursor = LogArchiveCursor(self, from: 0)
        guard let id = cursor.next(where: { _ in true })?.source.component else { return nil }
        return LogFileName.withoutInstance(id)
    }

    /// At most `count` bytes from `position` on, 0 at the end or where the disk refuses.
    func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let file = files.first(where: { $0.range.contains(position) }) else { return 0 }
        let count = min(buffer.count, file.range.upperBound - position)
        return max(0, pread(file.descriptor, buffer.baseAddress, count, off_t(position - file.range.lowerBound)))
    }

    func last(_ count: Int, where wants: (LogLine) -> Bool) -> ArraySlice<LogLine> {
        guard count > 0 else { return [] }
        var budget = 256 * 1024
        while true {
            var cursor = LogArchiveCursor(self, from: max(0, size - budget))
            var lines: [LogLine] = []
            while let line = cursor.next(where: wants) {
                lines.append(line)
                // Halved now and then, so that few are kept of many.
                if lines.count >= 2 * count + 1024 { lines.removeFirst(lines.count - count) }
            }
            if lines.count >= count || budget >= size { return lines.suffix(count) }
            budget *= 4
        }
    }
}

/// A reader's place in a source.
struct LogArchiveCursor {
    private let source: LogArchiveSource
    private var position: Int
    private var assembler = LineAssembler(maxLineBytes: 64 * 1024)
    private var lines: [String] = []
    private var nextLine = 0
    /// What comes first is the rest of a line.
    private var isInsideALine: Bool

    init(_ source: LogArchiveSource, from position: Int) {
        self.source = source
        self.position = position
        isInsideALine = position > 0
    }

    mutating func next(where wants: (LogLine) -> Bool) -> LogLine? {
        while true {
            while nextLine < lines.count {
                let text = lines[nextLine]
                nextLine += 1
                if isInsideALine {
                    isInsideALine = false
                    continue
                }
                if let line = LogLine(written: text), wants(line) { return line }
            }
            guard fill() else { return nil }
        }
    }

    private mutating func fill() -> Bool {
        let size = 64 * 1024
        var got: [String]?
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
            let count = source.read(at: position, into: buffer)
            guard count > 0 else { return }
            position += count
            got = assembler.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        nextLine = 0
        if let got {
            lines = got
            return true
        }
        lines = assembler.finish().map { [$0] } ?? []
        return !lines.isEmpty
    }
}
