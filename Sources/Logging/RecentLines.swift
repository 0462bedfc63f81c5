/// The last lines of one source in memory, bounded by number and by size.
struct RecentLines {
    private struct Entry {
        let order: UInt64
        let line: LogLine
        /// Which component it is about, looked up once: all are searched with each death.
        let component: String?
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
        entries.append(Entry(order: order, line: line, component: line.component))
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

    /// - Parameter ids: nil = all lines, else those about one of these components.
    func last(_ count: Int, about ids: Set<String>?) -> [(order: UInt64, line: LogLine)] {
        let only = ids?.count == 1 ? ids?.first : nil
        var found: [Int] = []
        for index in (first..<entries.count).reversed() where found.count < count {
            guard let ids else {
                found.append(index)
                continue
            }
            guard let component = entries[index].component else { continue }
            // No hash for the usual case.
            if only.map({ $0 == component }) ?? ids.contains(component) { found.append(index) }
        }
        return found.reversed().map { (entries[$0].order, entries[$0].line) }
    }
}

extension LogLine {
    /// About what the line takes in memory.
    var cost: Int {
        fields.reduce(128 + text.utf8.count) { $0 + 64 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) }
    }
}
