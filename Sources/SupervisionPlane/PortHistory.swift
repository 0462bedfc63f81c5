internal import Control
internal import CoreHosting
internal import Supervision

/// What crossed the connections of one component: of the present one, and of the last that have ended.
struct PortHistory {
    private static let mostEnded = 8

    private var present: (generation: UInt64, connector: String)?
    private(set) var traffic = PortTraffic()
    private var ended: [PortLedger] = []

    /// A connection begins.
    mutating func begin(_ connector: String, generation: UInt64) {
        present = (generation, connector)
        traffic = PortTraffic()
    }

    /// News of the present connection.
    mutating func update(_ traffic: PortTraffic) { self.traffic = traffic }

    mutating func end(_ end: PortEnd, _ traffic: PortTraffic) {
        self.traffic = traffic
        guard let present else { return }
        self.present = nil
        var ledger = ledger(present, state: Self.name(of: end))
        ledger.unknown = max(0, traffic.bytesOut - traffic.queued - traffic.bytesRead)
        ledger.thrownAway = traffic.queued
        ledger.queued = 0
        if case .endOfFile(let partial) = end { ledger.partialFrame = partial }
        ended.insert(ledger, at: 0)
        if ended.count > Self.mostEnded { ended.removeLast() }
    }

    /// The present one first.
    var ledgers: [PortLedger] { (present.map { [ledger($0, state: "open")] } ?? []) + ended }

    private func ledger(_ connection: (generation: UInt64, connector: String), state: String) -> PortLedger {
        PortLedger(
            generation: Int(connection.generation), connector: connection.connector, state: state,
            framesIn: traffic.framesIn, framesOut: traffic.framesOut, bytesIn: traffic.bytesIn,
            bytesOut: traffic.bytesOut, queued: traffic.queued, mostQueued: traffic.mostQueued,
            blocked: Double(traffic.blockedNanoseconds) / 1e9, dropped: traffic.dropped)
    }

    private static func name(of end: PortEnd) -> String {
        switch end {
        case .bye: "bye"
        case .endOfFile: "died"
        case .violation: "violation"
        case .byPlatform: "closed-by-platform"
        }
    }
}
