/// A place in the journal, with what its reader wants.
public struct EventReader {
    private let since: EventsRequest.Since?
    private let component: String?
    /// Events up to this number have been read.
    public private(set) var position: UInt64

    /// - Parameter component: nil = events of all.
    public init(_ since: EventsRequest.Since?, component: String?, of journal: EventJournal) {
        self.since = since
        self.component = component
        position =
            switch since {
            case .number(let number): number
            case .time, nil: journal.first - 1
            }
    }

    /// The next events that are wanted, `count` at most; before them the numbers that are no longer there, if any.
    public mutating func read(_ journal: EventJournal, atMost count: Int) -> [EventEntry] {
        var wanted: [EventEntry] = []
        if position + 1 < journal.first {
            wanted.append(.lost(position + 1, through: journal.first - 1))
            position = journal.first - 1
        }
        for event in journal.after(position) {
            guard wanted.count < count else { break }
            position = event.number
            if wants(event) { wanted.append(event) }
        }
        return wanted
    }

    private func wants(_ event: EventEntry) -> Bool {
        if let component, event.component != component { return false }
        if case .time(let time) = since { return event.time >= time }
        return true
    }
}

/// Sends the journal to one client at the client's own pace: what it has not taken yet stays in the journal, and is
/// missed once it has gone from there.
final class EventFeed {
    /// Bytes on their way to a client beyond which it has to read first.
    private static let ahead = 64 * 1024

    private let journal: EventJournal
    private let exchange: ControlExchange
    private var reader: EventReader
    private var stopListening: (() -> Void)?

    init(_ reader: EventReader, of journal: EventJournal, to exchange: ControlExchange) {
        self.reader = reader
        self.journal = journal
        self.exchange = exchange
    }

    func start() {
        exchange.onGone = { [weak self] in self?.stop() }
        exchange.onDrained = { [weak self] in self?.pump() }
        // Holds this feed until the client has left.
        stopListening = journal.listen { self.pump() }
        pump()
    }

    private func stop() {
        stopListening?()
        stopListening = nil
    }

    private func pump() {
        while exchange.unsentBytes < Self.ahead {
            let events = reader.read(journal, atMost: 64)
            guard !events.isEmpty else { return }
            for event in events where !exchange.send(event) { return stop() }
        }
    }
}

extension EventJournal {
    static let pageSize = 500

    /// Answers a request for events.
    ///
    /// - Parameter component: the id that the request's stands for.
    public func serve(_ request: EventsRequest, component: String?, _ exchange: ControlExchange) {
        if case .number(let number) = request.since, number > last {
            let text = "the last event is \(last), so none can follow \(number)"
            return exchange.fail(ControlError(.refused, text + "; numbers begin anew with each supervisor"))
        }
        var reader = EventReader(request.since, component: component, of: self)
        guard request.follow else {
            let events = reader.read(self, atMost: EventJournal.pageSize)
            return exchange.reply(
                EventsReply(events: events, next: reader.position, more: reader.position < last))
        }
        exchange.replyAndStream(EventsReply(events: [], next: reader.position, more: reader.position < last))
        if !exchange.isOver { EventFeed(reader, of: self, to: exchange).start() }
    }
}
