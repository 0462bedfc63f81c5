import Supervision

/// What will happen, in order of time; at the same time, in the order in which it was written down. A binary heap.
struct Agenda<Occurrence> {
    struct Entry {
        let at: Instant
        let number: UInt64
        let what: Occurrence
    }

    private var heap: [Entry] = []
    private var numbers: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    var next: Instant? { heap.first?.at }

    mutating func add(_ what: Occurrence, at: Instant) {
        numbers += 1
        heap.append(Entry(at: at, number: numbers, what: what))
        var index = heap.count - 1
        while index > 0, Self.isBefore(heap[index], heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func pop() -> Entry? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && Self.isBefore(heap[child], heap[least]) {
                least = child
            }
            guard least != index else { return first }
            heap.swapAt(index, least)
            index = least
        }
    }

    private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        (left.at, left.number) < (right.at, right.number)
    }
}
