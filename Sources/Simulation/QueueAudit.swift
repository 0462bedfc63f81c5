import Supervision

/// The start queue beside a plain list: whoever asked first comes first, and no slot stays free while somebody waits.
struct QueueAudit {
    private let limit: Int
    private var holders: [Int] = []
    private var line: [Int] = []

    init(limit: Int) { self.limit = limit }

    mutating func requested(_ id: Int, _ granted: [Int], _ queue: StartQueue<Int>) throws(Violation) {
        line.append(id)
        try check(granted, queue)
    }

    mutating func released(_ id: Int, _ granted: [Int], _ queue: StartQueue<Int>) throws(Violation) {
        if let index = holders.firstIndex(of: id) { holders.remove(at: index) } else { line.removeAll { $0 == id } }
        try check(granted, queue)
    }

    private mutating func check(_ granted: [Int], _ queue: StartQueue<Int>) throws(Violation) {
        let free = limit - holders.count
        let due = Array(line.prefix(free))
        line.removeFirst(due.count)
        holders += due
        try require(.slotsInOrder, granted == due, "slots go to components \(granted), and due are \(due)")
        try require(
            .slotsInOrder, queue.holding == holders.count && queue.waiting == line.count,
            "\(queue.holding) hold slots and \(queue.waiting) wait; \(holders.count) and \(line.count) should")
    }
}
