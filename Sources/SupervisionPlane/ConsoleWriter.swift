internal import EventLoop
internal import Glibc
internal import Logging
internal import Synchronization

/// Writes lines to standard error from a thread of its own: a terminal that stands still holds nobody up. Beyond a
/// thousand lines that wait, further ones are left out; the log has them all.
///
/// Where standard error is the journal of systemd, each line has its priority in front (sd-daemon(3)): `<4>` a warning.
final class ConsoleWriter {
    private static let mostWaiting = 1000
    private let lines = Mailbox<String?>()
    private let waiting = WaitingLines()
    private let thread: Thread
    private let isJournal = ConsoleWriter.isJournal(getenv("JOURNAL_STREAM").map { String(cString: $0) })

    private final class WaitingLines: Sendable {
        let count = Atomic(0)
    }

    init() throws(UVError) {
        let (lines, waiting) = (lines, waiting)
        thread = try Thread {
            do {
                let loop = try Loop()
                try lines.open(on: loop) { line in
                    guard let line else {
                        lines.close()
                        return
                    }
                    waiting.count.subtract(1, ordering: .relaxed)
                    Self.write(line + "\n")
                }
                loop.run()
                loop.close()
            } catch {
                Self.write("corehost: no more lines here, see `corehost logs`: \(error)\n")
            }
        }
    }

    func write(_ line: String, _ level: LogLevel) {
        let line = isJournal ? "<\(7 - level.rawValue)>\(line)" : line
        guard waiting.count.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
            waiting.count.subtract(1, ordering: .relaxed)
            return
        }
        lines.send(line)
    }

    /// Writes what waits, and ends; what a terminal that stands still has not taken in a second is left.
    func close() {
        lines.send(nil)
        _ = thread.join(within: .seconds(1))
    }

    /// - Parameter stream: `$JOURNAL_STREAM`, device and inode of the journal's end; not that of standard error, if that
    ///   was redirected since (systemd.exec(5)).
    private static func isJournal(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
