/// The newest elements, oldest first, bounded by number and by what they cost together. An element over a bound is gone at
/// once, and its place is used again; one that is alone over the bound of cost stays until the next.
public struct BoundedHistory<Element> {
    private let maxCount: Int
    private let maxCost: Int
    private let price: (Element) -> Int
    /// The element at `index` is `places[(head + index) % places.count]`.
    private var places: [Element?] = []
    private var head = 0
    private var cost = 0
    public private(set) var count = 0

    /// - Parameter price: what an element costs, always the same of the same element.
    public init(maxCount: Int, maxCost: Int = .max, price: @escaping (Element) -> Int = { _ in 0 }) {
        precondition(maxCount > 0, "a history of \(maxCount) elements keeps nothing")
        self.maxCount = maxCount
        self.maxCost = maxCost
        self.price = price
    }

    public mutating func append(_ element: Element) {
        let added = price(element)
        while count == maxCount || (count > 0 && cost + added > maxCost) { removeOldest() }
        if count == places.count { grow() }
        places[(head + count) % places.count] = element
        count += 1
        cost += added
    }

    private mutating func removeOldest() {
        cost -= price(self[0])
        places[head] = nil
        head = (head + 1) % places.count
        count -= 1
    }

    private mutating func grow() {
        let capacity = Swift.min(maxCount, Swift.max(16, 2 * count))
        places = Array(self) + [Element?](repeating: nil, count: capacity - count)
        head = 0
    }
}

extension BoundedHistory: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "no element \(index) of \(count)")
        return places[(head + index) % places.count]!
    }
}
