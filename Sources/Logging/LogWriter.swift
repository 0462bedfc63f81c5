import CSystem
import Glibc

/// The thread that writes log files, the only one that waits for the disk.
///
/// Lines that the disk does not take, or that found the queue full, are counted; the next line that reaches the same
/// file has the count before it.
final class LogWriter: Sendable {
    private let folder: String
    private let maxFileBytes: Int
    private let maxFiles: Int
    private let queue: LogQueue

    private init(folder: String, limits: LogLimits, queue: LogQueue) {
        self.folder = folder
        self.maxFileBytes = limits.maxFileBytes
        self.maxFiles = limits.maxFiles
        self.queue = queue
    }

    /// Starts the thread; it ends once `queue` is closed and empty. Returns an errno value when there can be no thread.
    static func start(folder: String, limits: LogLimits, queue: LogQueue) -> Int32 {
        let writer = Unmanaged.passRetained(LogWriter(folder: folder, limits: limits, queue: queue))  // +1, for `run`
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // Signals belong to the threads that wait for them; a new thread inherits the mask.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let rc = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                _ = chs_set_thread_name("log-writer")
                Unmanaged<LogWriter>.fromOpaque(argument).takeRetainedValue().run()  // -1
                return nil
            }, writer.toOpaque())
        if rc != 0 { writer.release() }
        return rc
    }

    private func run() {
        // Lines by file that are not in it and not yet accounted for there.
        var missing: [String: Int] = [:]
        var failing: [String: LogFileError] = [:]
        while let batch = queue.take() {
            for (name, count) in batch.dropped { missing[name, default: 0] += count }
            for (name, lines) in batch.lines {
                for piece in pieces(of: lines) {
                    do throws(LogFileError) {
                        try write(piece, to: name, missing: missing[name] ?? 0)
                        missing[name] = nil
                        failing = failing.filter { other, error in
                            !isOver(error) || (other != name && error.isOfTheFileAlone)
                        }
                        queue.settle { $0.written += piece.count }
                    } catch {
                        missing[name, default: 0] += piece.count
                        failing[name] = error
                        queue.settle { $0.lost += piece.count }
                    }
                }
            }
            let failure = failing.min { $0.key < $1.key }?.value
            queue.settle { $0.failure = failure }
        }
        // A disk that takes lines by now is told what it lacks; of one that does not there is the report.
        for (name, count) in missing { try? write([], to: name, missing: count) }
        queue.writerHasFinished()
    }

    /// After something was written. A full disk still takes a short line between two that it refuses: it is not full any
    /// more once it has room for many.
    private func isOver(_ error: LogFileError) -> Bool {
        var disk = statvfs()
        guard error.errno == ENOSPC, statvfs(folder, &disk) == 0 else { return true }
        return UInt(disk.f_bavail) * disk.f_frsize >= 32 << 10 && (disk.f_files == 0 || disk.f_favail > 0)
    }

    /// Pieces of at most a quarter of a file, so that files keep their size, and of one line at least.
    private func pieces(of lines: [[UInt8]]) -> [ArraySlice<[UInt8]>] {
        var pieces: [ArraySlice<[UInt8]>] = []
        var start = 0
        var bytes = 0
        for (index, line) in lines.enumerated() {
            if index > start, bytes + line.count > maxFileBytes / 4 {
                pieces.append(lines[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += line.count
        }
        pieces.append(lines[start...])
        return pieces
    }

    private func write(_ lines: ArraySlice<[UInt8]>, to name: String, missing: Int) throws(LogFileError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw LogFileError(path: folder, errno: errno) }
        var bytes: [UInt8] = []
        if missing > 0 {
            let line = LogLine(
                level: .warning, source: .supervisor, stream: .supervisor,
                text: "\(missing) lines before this one are not in this file", fields: ["lines": "\(missing)"])
            bytes += Array(line.written.utf8) + [UInt8(ascii: "\n")]
        }
        for line in lines { bytes += line }
        try LogFile(path: "\(folder)/\(name)", maxBytes: maxFileBytes, maxFiles: maxFiles).append(bytes)
    }
}
