internal import EventLoop
internal import Glibc
internal import Synchronization

/// Writes lines to standard error from a thread of its own: a terminal that stands still holds nobody up. Beyond a
/// thousand lines that wait, further ones are left out; the log has them all.
final class ConsoleWriter {
    private static let mostWaiting = 1000
    private let lines = Mailbox<String?>()
    private let waiting = WaitingLines()
    private let thread: Thread

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

    func write(_ line: String) {
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
