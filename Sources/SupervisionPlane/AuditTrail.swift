internal import Control
internal import Logging

/// The commands that changed something: the newest in memory, all in a file that is kept over restarts and rotated.
final class AuditTrail {
    static let file = "audit.jsonl"
    private static let maxBytes = 512 * 1024

    private let log: LogStore
    private var records: [AuditRecord] = []

    /// - Parameter folder: of the log's files.
    init(_ log: LogStore, folder: String) {
        self.log = log
        for line in LogStore.records(in: Self.file, of: folder, maxBytes: Self.maxBytes) {
            // What is no record is the log writer's own word, or was torn by a crash.
            guard let json = try? JSONParser.parse(line), let record = try? AuditRecord(json: json) else { continue }
            keep(record)
        }
    }

    func append(_ entry: AuditEntry) {
        guard let record = AuditRecord(entry, at: .now()) else { return }
        keep(record)
        log.write(record: JSONWriter.text(record.json), to: Self.file)
    }

    func last(_ count: Int) -> [AuditRecord] { records.suffix(max(0, count)) }

    private func keep(_ record: AuditRecord) {
        records.append(record)
        // In pieces, as to shift all of them with every command would cost more than to keep some longer.
        if records.count > 2 * ControlRequest.maxAuditRecords { records.removeFirst(ControlRequest.maxAuditRecords) }
    }
}
