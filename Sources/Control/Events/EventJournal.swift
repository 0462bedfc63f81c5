public import Logging

/// What happened, numbered, typed and bounded; the oldest events go first. In memory only: each run has its own.
///
/// Loop thread only. Readers keep their place as a number, so none of them can make anybody wait or the journal grow.
public final class EventJournal {
    public struct Limits: Sendable {
        public var maxEvents = 4096
        public var maxBytes = 2 << 20

        public init() {}
    }

    private static let maxFieldBytes = 1024
    private static let maxFields = 16

    private var events: BoundedHistory<EventEntry>
    private var listeners: [Int: () -> Void] = [:]
    private var nextListener = 0

    /// Of the newest event; 0 before the first.
    public private(set) var last: UInt64 = 0

    public init(limits: Limits = Limits()) {
        events = BoundedHistory(maxCount: limits.maxEvents, maxCost: limits.maxBytes) { $0.cost }
    }

    /// Of the oldest event that is still here, `last` + 1 if there is none.
    public var first: UInt64 { last + 1 - UInt64(events.count) }

    /// - Parameter fields: those with a value count; of more than 16 the first by key stay, longer values are cut.
    public func record(
        _ kind: EventKind, component: String? = nil, generation: UInt64? = nil, _ fields: [String: String?] = [:],
        at time: LogTime = .now()
    ) {
        last += 1
        let kept = fields.sorted { $0.key < $1.key }.lazy.compactMap { key, value in value.map { (key, $0) } }
            .prefix(Self.maxFields).map { ($0, BoundedText.text($1, bound: Self.maxFieldBytes)) }
        let event = EventEntry(
            number: last, time: time, kind: kind, component: component, generation: generation,
            fields: Dictionary(kept, uniquingKeysWith: { first, _ in first }))
        events.append(event)
        for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener() }
    }

    /// The events behind `number` that are still here, oldest first.
    public func after(_ number: UInt64) -> Slice<BoundedHistory<EventEntry>> {
        guard number >= first else { return events[...] }
        return events.dropFirst(Int(clamping: number - first + 1))
    }

    /// `onRecord` is called after each event, until the returned function is called.
    public func listen(_ onRecord: @escaping () -> Void) -> () -> Void {
        let number = nextListener
        nextListener += 1
        listeners[number] = onRecord
        return { [weak self] in self?.listeners[number] = nil }
    }

    /// True for a component that an event here is about.
    public func knows(component: String) -> Bool { events.contains { $0.component == component } }
}

extension EventEntry {
    /// About what the event takes in memory.
    var cost: Int {
        fields.reduce(160 + kind.utf8.count + (component?.utf8.count ?? 0)) {
            $0 + 64 + $1.key.utf8.count + $1.value.utf8.count
        }
    }
}
