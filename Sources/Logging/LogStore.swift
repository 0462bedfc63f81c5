import Glibc

/// Bounds of a log store.
public struct LogLimits: Sendable {
    public var maxFileBytes = 4 * 1024 * 1024
    /// Files of one source, the newest included.
    public var maxFiles = 4
    /// Lines of one source in memory.
    public var maxRecentLines = 1000
    public var maxRecentBytes = 256 * 1024
    /// Lines that wait for the disk.
    public var maxQueueBytes = 8 * 1024 * 1024

    public init() {}
}

/// Whether lines reach the files.
public enum LogFilesState: Sendable, Equatable {
    case well
    case failing(LogFileError)
    /// Lines come faster than the disk takes them.
    case behind
}

/// The lines of the supervisor and of every component: the recent ones in memory, all in files.
///
/// Used from one thread. The disk is touched in `init` (recent lines are read back from the files' ends) and otherwise
/// only by a thread of its own, so that a slow, full or vanished disk holds nobody up: `append` always returns at once
/// and lines that do not reach a file are counted.
public final class LogStore {
    public enum Selection: Sendable, Hashable {
        case all
        case supervisor
        /// Components' own lines, and the supervisor's about them: those with an id of them in the field `component`.
        case components(Set<String>)

        public static func component(_ id: String) -> Selection { .components([id]) }

        var ids: Set<String>? { if case .components(let ids) = self { ids } else { nil } }

        func includes(_ line: LogLine) -> Bool {
            switch self {
            case .all: true
            case .supervisor: line.source == .supervisor
            case .components(let ids): line.isAbout(ids)
            }
        }
    }

    private let limits: LogLimits
    private let queue: LogQueue?
    private var recent: [String?: RecentLines] = [:]
    private var order: UInt64 = 0
    private var subscribers: [Int: (selection: Selection, onLine: (LogLine) -> Void)] = [:]
    private var nextSubscriber = 0
    private var reportedFailure: LogFileError?
    private var lostAtFailure = 0
    private var isBehind = false
    private var dropped = 0
    private var droppedBefore = 0
    /// Called when the files stop taking lines and when they take them again.
    public var onFilesChange: ((LogFilesState, LogWriterReport) -> Void)?

    /// - Parameter folder: where files go; made (0700) if it is missing while its parent exists. nil = memory only.
    public init(folder: String?, limits: LogLimits = LogLimits()) {
        self.limits = limits
        guard let folder else {
            queue = nil
            return
        }
        let queue = LogQueue(maxBytes: limits.maxQueueBytes)
        let rc = LogWriter.start(folder: folder, limits: limits, queue: queue)
        self.queue = rc == 0 ? queue : nil
        for line in LogTails.read(folder: folder, limits: limits) { remember(line) }
        if rc != 0 {
            append(
                LogLine(
                    level: .error, source: .supervisor, stream: .supervisor,
                    text: "log files are off: no thread to write them: \(String(cString: strerror(rc)))"))
        }
    }

    /// Keeps the line, hands it to the subscribers, sends it to its file.
    public func append(_ line: LogLine) {
        publish(line)
        guard queue != nil else { return }
        put(Array(line.written.utf8) + [UInt8(ascii: "\n")], to: LogFileName.of(component: line.source.component))
    }

    /// A whole line with its end.
    func put(_ bytes: [UInt8], to file: String) {
        if let queue { notice(queue.put(bytes, file: file)) }
    }

    /// The newest lines that are still in memory, oldest first: at most `count`, at most about `maxBytes`.
    public func recent(_ selection: Selection, last count: Int, maxBytes: Int = .max) -> [LogLine] {
        let sources: [RecentLines] =
            switch selection {
            case .all: Array(recent.values)
            case .supervisor: [recent[nil as String?]].compactMap { $0 }
            case .components(let ids): (ids.map { recent[$0] } + [recent[nil as String?]]).compactMap { $0 }
            }
        let lines = sources.flatMap { $0.last(count, about: selection.ids) }
            .sorted { $0.order < $1.order }.suffix(max(0, count))
        var room = maxBytes
        var start = lines.endIndex
        while start > lines.startIndex, room >= lines[start - 1].line.cost {
            start -= 1
            room -= lines[start].line.cost
        }
        return lines[start...].map(\.line)
    }

    /// Components that lines are in memory of, also of earlier runs.
    public var components: [String] { recent.keys.compactMap { $0 }.sorted() }

    /// `onLine` is called by `append`, on its thread, until the returned function is called.
    public func subscribe(_ selection: Selection, onLine: @escaping (LogLine) -> Void) -> () -> Void {
        let number = nextSubscriber
        nextSubscriber += 1
        subscribers[number] = (selection, onLine)
        return { [weak self] in self?.subscribers[number] = nil }
    }

    /// Forgets the recent lines of a component that will not come back (one of many instances); files stay.
    public func forget(component: String) { recent[component] = nil }

    /// How the files fare; all zero without files.
    public var report: LogWriterReport { queue?.currentReport ?? LogWriterReport() }

    /// Ends the files: true once every line taken is on the disk or counted as lost, false if that takes longer.
    /// Later lines stay in memory only. May be called once.
    public func close(within seconds: Double = 2) -> Bool { queue?.close(within: seconds) ?? true }

    private func publish(_ line: LogLine) {
        remember(line)
        for (_, subscriber) in subscribers.sorted(by: { $0.key < $1.key }) where subscriber.selection.includes(line) {
            subscriber.onLine(line)
        }
    }

    private func remember(_ line: LogLine) {
        let empty = RecentLines(maxLines: limits.maxRecentLines, maxBytes: limits.maxRecentBytes)
        recent[line.source.component, default: empty].append(line, order: order)
        order += 1
    }

    /// One line when the disk stops taking lines, one when it does again. They are published, not sent to the disk:
    /// the files themselves say what they lack.
    private func notice(_ report: LogWriterReport) {
        let missing = report.lost + report.dropped
        switch (reportedFailure, report.failure) {
        case (nil, let failure?):
            reportedFailure = failure
            lostAtFailure = missing
            publish(
                LogLine(
                    level: .error, source: .supervisor, stream: .supervisor,
                    text: "\(failure); lines stay in memory until it can be written again: free some space there",
                    fields: ["path": failure.path]))
            onFilesChange?(.failing(failure), report)
        case (_?, nil):
            reportedFailure = nil
            publish(
                LogLine(
                    level: .notice, source: .supervisor, stream: .supervisor, text: "log files are written again",
                    fields: ["lines lost": "\(missing - lostAtFailure)"]))
            onFilesChange?(.well, report)
        case (nil, nil), (_?, _?): break
        }
        noticeDropping(report)
    }

    /// The same for a disk that takes lines, but more slowly than they come.
    private func noticeDropping(_ report: LogWriterReport) {
        let new = report.dropped - dropped
        switch (isBehind, new > 0) {
        case (false, true):
            isBehind = true
            publish(
                LogLine(
                    level: .error, source: .supervisor, stream: .supervisor,
                    text: "log files are written more slowly than lines come; the files lack some, and say where"))
            onFilesChange?(.behind, report)
        case (true, false):
            isBehind = false
            publish(
                LogLine(
                    level: .notice, source: .supervisor, stream: .supervisor, text: "log files keep up again",
                    fields: ["lines lost": "\(report.dropped - droppedBefore)"]))
            droppedBefore = report.dropped
            onFilesChange?(.well, report)
        case (false, false), (true, true): break
        }
        dropped = report.dropped
    }
}
