/// The last lines of one source in memory.
struct RecentLines {
    private struct Entry {
        let order: UInt64
        let line: LogLine
        /// Which component it is about, looked up once: all are searched with each death.
        let component: String?
    }

    private var entries: BoundedHistory<Entry>

    init(maxLines: Int, maxBytes: Int) {
        entries = BoundedHistory(maxCount: maxLines, maxCost: maxBytes) { $0.line.cost }
    }

    /// `order` rises from line to line, over all sources.
    mutating func append(_ line: LogLine, order: UInt64) {
        entries.append(Entry(order: order, line: line, component: line.component))
    }

    /// - Parameter ids: nil = all lines, else those about one of these components.
    func last(_ count: Int, about ids: Set<String>?) -> [(order: UInt64, line: LogLine)] {
        let only = ids?.count == 1 ? ids?.first : nil
        var found: [Int] = []
        for index in entries.indices.reversed() where found.count < count {
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
