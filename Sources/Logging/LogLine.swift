/// Who a line is about. Generation counts the lives of a component.
public enum LogSource: Sendable, Hashable {
    case supervisor
    case component(id: String, generation: UInt64)

    /// Component id, nil for the supervisor.
    public var component: String? {
        switch self {
        case .supervisor: nil
        case .component(let id, _): id
        }
    }
}

/// How a line came.
public enum LogStream: String, Sendable, Hashable, CaseIterable {
    /// JavaScript's `console`, `w3n.log`.
    case console
    /// What a child wrote to descriptor 1 or 2.
    case output
    /// What the supervisor says.
    case supervisor
}

/// One event of the log, fit to be stored: text and fields are bounded.
public struct LogLine: Sendable, Hashable {
    /// Bytes of the text, the mark of a cut included.
    public static let maxTextBytes = 16 * 1024
    static let maxFieldBytes = 4 * 1024
    static let maxFields = 32

    public let time: LogTime
    public let level: LogLevel
    public let source: LogSource
    public let stream: LogStream
    public let text: String
    /// nil = a key that stands alone.
    public let fields: [String: String?]

    /// Longer text and values are cut and say so; of more than 32 fields the first 32 by key stay.
    public init(
        time: LogTime = .now(), level: LogLevel, source: LogSource, stream: LogStream, text: String,
        fields: [String: String?] = [:]
    ) {
        self.time = time
        self.level = level
        self.source = source
        self.stream = stream
        self.text = BoundedText.text(text, bound: LogLine.maxTextBytes)
        if fields.count <= LogLine.maxFields,
            fields.allSatisfy({ $0.key.utf8.count + ($0.value?.utf8.count ?? 0) <= LogLine.maxFieldBytes })
        {
            self.fields = fields
        } else {
            let kept = fields.sorted { $0.key < $1.key }.prefix(LogLine.maxFields).map { key, value in
                (
                    BoundedText.text(key, bound: LogLine.maxFieldBytes),
                    value.map { BoundedText.text($0, bound: LogLine.maxFieldBytes) }
                )
            }
            self.fields = Dictionary(kept, uniquingKeysWith: { first, _ in first })
        }
    }
}

extension LogLine {
    /// A line of one of these components, or what the supervisor says about one.
    public func isAbout(_ ids: Set<String>) -> Bool { component.map(ids.contains) ?? false }

    /// Whose line it is, or whom the supervisor tells of.
    var component: String? { source.component ?? fields["component"] ?? nil }

    /// The line of a log file without its end:
    /// `<time> [<component id or corehost>|g<generation>|<stream>|<level>] text | key: value`, no generation and no
    /// stream for the supervisor's own.
    public var written: String { "\(time) \(Ratlog.format(text, tags: tags, fields: fields))" }

    /// `written` as people read it, without the escapes of its format.
    public var shown: String { "\(time) \(Ratlog.shown(text, tags: tags, fields: fields))" }

    private var tags: [String] {
        switch source {
        case .supervisor: [LogLine.supervisorTag, level.name]
        case .component(let id, let generation): [id, "g\(generation)", stream.rawValue, level.name]
        }
    }

    private static let supervisorTag = "corehost"

    /// Reads what `written` gives; nil for a line of another form (a file cut by a crash, edited by hand).
    public init?(written line: String) {
        guard let blank = line.firstIndex(of: " "), let time = LogTime(line[..<blank]) else { return nil }
        let (tags, text, fields) = Ratlog.parse(String(line[line.index(after: blank)...]))
        guard let level = tags.last.flatMap(LogLevel.init(name:)) else { return nil }
        if tags.count == 2, tags[0] == LogLine.supervisorTag {
            self.init(time: time, level: level, source: .supervisor, stream: .supervisor, text: text, fields: fields)
            return
        }
        guard tags.count == 4, tags[1].hasPrefix("g"), let generation = UInt64(tags[1].dropFirst()),
            let stream = LogStream(rawValue: tags[2])
        else { return nil }
        let source = LogSource.component(id: tags[0], generation: generation)
        self.init(time: time, level: level, source: source, stream: stream, text: text, fields: fields)
    }
}
