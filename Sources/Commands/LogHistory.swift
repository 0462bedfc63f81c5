internal import Control
internal import Logging

/// Lines of the past: those in the files of a log folder, together with those that a supervisor has in memory.
struct LogHistory {
    /// nil where there are no files that can be read.
    private let archive: LogArchive?

    private init(_ archive: LogArchive?) { self.archive = archive }

    /// Beside a supervisor, whose memory has the newest lines: a folder that is gone is not worth an error.
    init(_ folder: String?) { archive = folder.flatMap { try? LogArchive(folder: $0) } }

    /// - Throws: `notRunning`, if there are no files to show instead.
    static func withoutSupervisor(
        _ arguments: ParsedArguments, _ console: Console, _ notRunning: ControlError
    ) throws -> LogHistory {
        let isElsewhere = arguments.has(.socket) || console.environment["COREHOST_SOCKET"]?.isEmpty == false
        if isElsewhere, !arguments.has(.data) { throw notRunning }
        let places = Places(environment: console.environment)
        guard let data = places.dataFolder(option: arguments.value(of: .data)) else { throw notRunning }
        do throws(LogArchiveError) {
            return LogHistory(try LogArchive(folder: data + "/logs"))
        } catch {
            throw ControlError(.notRunning, "\(notRunning.message); and the log files of an earlier run: \(error)")
        }
    }

    /// Ids of components that there are files of, or unique beginnings of such; nil = all.
    func resolve(_ names: [String]) throws(ControlError) -> Set<String>? {
        guard !names.isEmpty else { return nil }
        let all = archive?.components ?? []
        var ids: Set<String> = []
        for name in names {
            let base = name.split(separator: "#", maxSplits: 1).first.map(String.init) ?? name
            let matches = all.contains(base) ? [name] : all.filter { $0.hasPrefix(name) }
            guard let first = matches.first else { throw .noSuchComponent(name) }
            guard matches.count == 1 else { throw .ambiguous(name, candidates: matches) }
            ids.insert(first)
        }
        return ids
    }

    /// Lines of the files alone.
    func show(_ filter: LogFilter, last count: Int?, _ show: (LogLine) throws -> Void) throws {
        try self.show(filter, LogsReply(lines: [], ids: filter.ids.map { Array($0) } ?? []), last: count, show)
    }

    /// Lines of the files and those in memory, each once.
    func show(_ filter: LogFilter, _ memory: LogsReply, last count: Int?, _ show: (LogLine) throws -> Void) throws {
        var filter = filter
        filter.ids = memory.ids.isEmpty ? nil : Set(memory.ids)
        let kept = memory.lines.map(\.line).filter(filter.includes)
        // What a line reads like in its file; as often as it is in memory.
        var twice: [String: Int] = kept.reduce(into: [:]) { $0[$1.written, default: 0] += 1 }
        func isNew(_ line: LogLine) -> Bool {
            guard !twice.isEmpty, let times = twice[line.written] else { return true }
            twice[line.written] = times > 1 ? times - 1 : nil
            return false
        }
        guard let count else {
            var rest = kept[...]
            try archive?.forEach(of: filter.ids, where: filter.includes) { line in
                while let next = rest.first, next.time < line.time {
                    try show(next)
                    rest.removeFirst()
                }
                if isNew(line) { try show(line) }
                return true
            }
            for line in rest { try show(line) }
            return
        }
        let filed = archive?.last(count, of: filter.ids, where: filter.includes).filter(isNew) ?? []
        // Stable: of one moment, the file's lines were there first.
        for line in (filed + kept).sorted(by: { $0.time < $1.time }).suffix(count) { try show(line) }
    }
}
