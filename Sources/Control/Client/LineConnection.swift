internal import Glibc

/// A blocking connection that carries lines, with deadlines.
final class LineConnection {
    enum Received: Equatable {
        case line([UInt8])
        /// The other side closed, or the connection broke.
        case end
        case timedOut
        case tooLong
    }

    static let maxLineBytes = 64 << 20

    let descriptor: Int32
    private var framing = Framing(maxBytes: maxLineBytes)
    private var lines: [[UInt8]] = []
    private var nextLine = 0
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(takingOwnershipOf descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// False when the other side is gone.
    func send(_ line: String) -> Bool {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return false }
            done += count
        }
        return true
    }

    func receive(until deadline: ContinuousClock.Instant?) -> Received {
        while nextLine == lines.count {
            lines.removeAll(keepingCapacity: true)
            nextLine = 0
            guard waitUntilReadable(descriptor, until: deadline) else { return .timedOut }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .end }
            guard take(count) else { return .tooLong }
        }
        defer { nextLine += 1 }
        return .line(lines[nextLine])
    }

    private func take(_ count: Int) -> Bool {
        buffer.withUnsafeBytes { bytes in
            do throws(Framing.LineTooLong) {
                try framing.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { line in
                    lines.append(line)
                    return true
                }
                return true
            } catch {
                return false
            }
        }
    }

    /// Reads and drops everything; false when the deadline comes before the end.
    func waitForEnd(until deadline: ContinuousClock.Instant) -> Bool {
        while waitUntilReadable(descriptor, until: deadline) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno != EINTR) { return true }
        }
        return false
    }
}

/// Waits until `descriptor` is readable or at its end; false when the deadline comes first.
func waitUntilReadable(_ descriptor: Int32, until deadline: ContinuousClock.Instant?) -> Bool {
    while true {
        var milliseconds: Int32 = -1
        if let deadline {
            // Rounded up, so that the wait does not end before the deadline.
            let (seconds, attoseconds) = max(.zero, deadline - .now).components
            milliseconds = Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = poll(&entry, 1, milliseconds)
        if count == 0 { return false }
        // Any other failure is met again, and judged, by the read that follows.
        if count > 0 || errno != EINTR { return true }
    }
}
