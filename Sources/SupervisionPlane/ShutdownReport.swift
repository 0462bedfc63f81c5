internal import Glibc
internal import Logging
internal import Supervision

/// How a shutdown went: which component ended in which way, and what was lost.
struct ShutdownReport {
    private let began: Instant
    private var inOrder = 0
    private var terminated: [String] = []
    private var killed: [String] = []
    private var died: [String] = []
    private var dropped = 0

    init(at now: Instant) { began = now }

    /// A life has ended since.
    ///
    /// - Parameter dropped: messages of its that came after its port was closed.
    mutating func add(_ verdict: Verdict, of id: ComponentID, dropped: Int) {
        self.dropped += dropped
        if verdict.evidence.signals.contains(SIGKILL) {
            killed.append("\(id)")
        } else if verdict.evidence.signals.contains(SIGTERM) {
            terminated.append("\(id)")
        } else if verdict.isAbnormal {
            died.append("\(id) (\(verdict.cause.rawValue))")
        } else {
            inOrder += 1
        }
    }

    /// Fields of the log's line; nothing is said of what there was none of.
    ///
    /// - Parameters:
    ///   - left: components whose end was not seen.
    ///   - calls: of users, without an answer.
    func fields(at now: Instant, left: [ComponentID], calls: Int, logs: LogWriterReport) -> [String: String?] {
        func list(_ names: [String]) -> String? {
            guard names.count > 5 else { return names.isEmpty ? nil : names.joined(separator: ", ") }
            return names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more"
        }
        func count(_ number: Int) -> String? { number == 0 ? nil : "\(number)" }
        let fields: [(String, String?)] = [
            ("in order", "\(inOrder)"), ("ended by SIGTERM", list(terminated)), ("killed", list(killed)),
            ("died meanwhile", list(died)), ("not seen to end", list(left.map { "\($0)" })),
            ("calls without an answer", count(calls)), ("messages dropped", count(dropped)),
            ("log lines lost", count(logs.lost + logs.dropped)), ("took", (now - began).text),
        ]
        return Dictionary(uniqueKeysWithValues: fields.filter { $0.1 != nil })
    }
}
