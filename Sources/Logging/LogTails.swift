import Glibc

/// Reads back what earlier runs wrote last.
enum LogTails {
    private static let maxBytesPerFile = 128 * 1024
    private static let maxBytes = 16 * 1024 * 1024

    /// Recent lines of all files in `folder`, oldest first; the files written last get the room. What cannot be read
    /// is left out: a missing folder is the first run.
    static func read(folder: String, limits: LogLimits) -> [LogLine] {
        var lines: [LogLine] = []
        var room = maxBytes
        for name in newestFirst(folder) where room > 0 {
            let file = LogFile(path: "\(folder)/\(name)", maxBytes: limits.maxFileBytes, maxFiles: limits.maxFiles)
            let bytes = file.tail(min(room, maxBytesPerFile))
            room -= bytes.count
            let text = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            lines += text.compactMap(LogLine.init(written:)).suffix(limits.maxRecentLines)
        }
        // `sorted` is stable, so lines of one moment keep the order of their file.
        return lines.sorted { $0.time < $1.time }
    }

    private static func newestFirst(_ folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var found: [(name: String, seconds: Int, nanoseconds: Int)] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard name.hasSuffix(".log"), lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else { continue }
            found.append((name, status.st_mtim.tv_sec, status.st_mtim.tv_nsec))
        }
        return found.sorted { ($0.seconds, $0.nanoseconds) > ($1.seconds, $1.nanoseconds) }.map(\.name)
    }
}
