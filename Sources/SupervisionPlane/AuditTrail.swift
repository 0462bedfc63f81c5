internal import Control
internal import Logging

/// The commands that changed something: the newest in memory, all in a file that is kept over restarts and rotated.
final class AuditTrail {
    static let file = "audit.jsonl"
    private static let maxBytes = 512 * 1024

    private let log: LogStore
    private var records = BoundedHistory<AuditRecord>(maxCount: ControlRequest.maxAuditRecords)

    /// - Parameter folder: of the log's files.
    init(_ log: LogStore, folder: String) {
        self.log = log
        for line in LogStore.records(in: Self.file, of: folder, maxBytes: Self.maxBytes) {
            // What is no record is the log writer's own word, or was torn by a crash.
            guard let json = try? JSONParser.parse(line), let record = try? AuditRecord(json: json) else { continue }
            records.append(record)
        }
    }

    func append(_ entry: AuditEntry) {
        guard let record = AuditRecord(entry, at: .now()) else { return }
        records.append(record)
        log.write(record: JSONWriter.text(record.json), to: Self.file)
    }

    func last(_ count: Int) -> [AuditRecord] { Array(records.suffix(max(0, count))) }
}
