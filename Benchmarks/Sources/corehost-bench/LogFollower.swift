import Foundation
import Glibc

/// One line of the supervisor's log: `<time> [tags] text | key: value | …`.
struct LogLine {
    /// When it arrived here.
    let at: ContinuousClock.Instant
    /// Milliseconds of the day at which the supervisor wrote it.
    let writtenAt: Int
    let text: String
    let fields: [String: String]

    /// Nil for a line of another form.
    init?(_ line: String, at: ContinuousClock.Instant) {
        guard let tags = line.range(of: " ["), let tagsEnd = line.range(of: "] "),
            let writtenAt = LogLine.millisecondsOfDay(line[..<tags.lowerBound])
        else { return nil }
        let parts = String(line[tagsEnd.upperBound...]).components(separatedBy: " | ")
        var fields: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let colon = part.range(of: ": ") else { continue }
            fields[String(part[..<colon.lowerBound])] = String(part[colon.upperBound...])
        }
        self.at = at
        self.writtenAt = writtenAt
        self.text = parts[0]
        self.fields = fields
    }

    /// Of `2026-01-31T23:59:59.123Z`.
    private static func millisecondsOfDay(_ time: Substring) -> Int? {
        let numbers = time.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count == 7 else { return nil }
        return ((numbers[3] * 60 + numbers[4]) * 60 + numbers[5]) * 1000 + numbers[6]
    }
}

/// Reads `corehost logs -f`. The thread that waits also takes the time, so nothing stands between arrival and stamp.
final class LogFollower {
    private let process = Process()
    private let descriptor: Int32
    private let output = Pipe()
    private var unread: [UInt8] = []

    init(_ corehost: URL, socket: URL) throws {
        process.executableURL = corehost
        process.arguments = ["logs", "-f", "--lines", "1000", "--socket", socket.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        descriptor = output.fileHandleForReading.fileDescriptor
        try process.run()
    }

    /// Console lines `bench <name> <number>` up to `bench done`.
    func benchLines() throws -> [String: Double] {
        var values: [String: Double] = [:]
        while true {
            let line = try next(within: .seconds(120)) { $0.hasPrefix("bench ") }
            let words = line.text.split(separator: " ")
            guard words.count == 3, let value = Double(words[2]) else {
                throw BenchError("the benchmark's JavaScript said \"\(line.text)\"")
            }
            if words[1] == "done" { return values }
            values[String(words[1])] = value
        }
    }

    /// The next line whose text fits; others are passed over.
    func next(within limit: Duration = .seconds(30), _ fits: (String) -> Bool) throws -> LogLine {
        let end = ContinuousClock.now + limit
        while true {
            if let line = try nextLine(until: end), fits(line.text) { return line }
            guard ContinuousClock.now < end else { throw BenchError("a line of the log did not come within \(limit)") }
        }
    }

    /// The next of the supervisor's lines with this text, about that component if one is named.
    func next(_ text: String, about component: String? = nil, within limit: Duration = .seconds(30)) throws -> LogLine {
        let end = ContinuousClock.now + limit
        while true {
            if let line = try nextLine(until: end), line.text == text,
                component == nil || line.fields["component"] == component
            {
                return line
            }
            guard ContinuousClock.now < end else {
                throw BenchError("no \"\(text)\" of \(component ?? "any component") in the log within \(limit)")
            }
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Nil for a line of another form and when the time is up.
    private func nextLine(until end: ContinuousClock.Instant) throws -> LogLine? {
        while true {
            if let newline = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<newline], as: UTF8.self)
                unread.removeSubrange(...newline)
                return LogLine(line, at: .now)
            }
            let left = max(end - .now, .zero)
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let changed = poll(&watched, 1, Int32(left / .milliseconds(1)) + 1)
            if changed == -1 && errno == EINTR { continue }
            guard changed > 0 else { return nil }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let got = read(descriptor, &chunk, chunk.count)
            if got == -1 && errno == EINTR { continue }
            guard got > 0 else { throw BenchError("corehost logs -f ended by itself") }
            unread += chunk[..<got]
        }
    }
}
