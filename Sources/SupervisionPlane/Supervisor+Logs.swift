internal import Control
internal import Logging

/// `logs`: what is in memory, and what comes. Older lines are in the files, which a client reads by itself.
extension Supervisor {
    private static let mostBytes = 1 << 20

    func logs(_ request: LogsRequest, _ exchange: ControlExchange) throws(ControlError) {
        var ids: [String] = []
        for name in request.ids { ids.append(try logID(name)) }
        let selection: LogStore.Selection = ids.isEmpty ? .all : .components(Set(ids))
        let lines = log.recent(selection, last: request.lines, maxBytes: Self.mostBytes).map { LogEntry($0) }
        guard request.follow else { return exchange.reply(LogsReply(lines: lines, ids: ids)) }
        exchange.replyAndStream(LogsReply(lines: lines, ids: ids))
        LogFeed(exchange).start(log, selection)
    }

    /// A component that is there, or one of an earlier run that lines are kept of.
    private func logID(_ name: String) throws(ControlError) -> String {
        do {
            return "\(try find(name).id)"
        } catch {
            if log.components.contains(name) { return name }
            throw error
        }
    }
}

/// Sends new lines to one client. Of what comes faster than it reads, some is left out and counted.
final class LogFeed {
    /// Bytes on their way to a client beyond which lines are left out.
    private static let ahead = 1 << 20

    private let exchange: ControlExchange
    private var missed = 0
    private var unsubscribe: (() -> Void)?

    init(_ exchange: ControlExchange) { self.exchange = exchange }

    func start(_ log: LogStore, _ selection: LogStore.Selection) {
        guard !exchange.isOver else { return }
        exchange.onGone = { [weak self] in
            self?.unsubscribe?()
            self?.unsubscribe = nil
        }
        exchange.onDrained = { [weak self] in self?.drained() }
        // Holds this feed until the client has left.
        unsubscribe = log.subscribe(selection) { self.send($0) }
    }

    private func send(_ line: LogLine) {
        guard missed == 0, exchange.unsentBytes < Self.ahead else {
            missed += 1
            return
        }
        exchange.send(LogEntry(line))
    }

    private func drained() {
        guard missed > 0 else { return }
        let count = missed
        missed = 0
        exchange.send(
            LogEntry(
                LogLine(
                    level: .warning, source: .supervisor, stream: .supervisor,
                    text: "\(count) lines are not shown here: they came faster than they were read",
                    fields: ["lines": "\(count)"])))
    }
}
