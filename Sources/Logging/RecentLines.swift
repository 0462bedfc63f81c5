/// The last lines of one source in memory, bounded by number and by size.
struct RecentLines {
    private struct Entry {
        let order: UInt64
        let line: LogLine
    }

    private let maxLines: Int
    private let maxBytes: Int
    /// Entries before `first` are gone; they are swept when they are half of the array.
    private var entries: [Entry] = []
    private var first = 0
    private var bytes = 0

    init(maxLines: Int, maxBytes: Int) {
        self.maxLines = maxLines
        self.maxBytes = maxBytes
    }

    /// `order` rises from line to line, over all sources.
    mutating func append(_ line: LogLine, order: UInt64) {
        entries.append(Entry(order: order, line: line))
        bytes += line.cost
        while entries.count - first > maxLines || (bytes > maxBytes && entries.count - first > 1) {
            bytes -= entries[first].line.cost
            first += 1
        }
        if first > 64, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }

    func last(_ count: Int, where includes: (LogLine) -> Bool) -> [(order: UInt64, line: LogLine)] {
        entries[first...].filter { includes($0.line) }.suffix(max(0, count)).map { ($0.order, $0.line) }
    }
}

extension LogLine {
    /// About what the line takes in memory.
    var cost: Int {
        fields.reduce(128 + text.utf8.count) { $0 + 64 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) }
    }
}
