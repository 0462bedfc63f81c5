internal import Control
internal import Faults

extension FaultSelector {
    /// Those it may mean, before any lot is drawn; an id may be a connector's.
    func candidates(in rows: [ComponentRow]) -> [ComponentRow] {
        switch self {
        case .id(let id): rows.filter { $0.id == id || $0.connector == id }
        case .app(let app): rows.filter { $0.app == app }
        case .entry(let entry): rows.filter { $0.entry == "/\(entry)" }
        case .random, .percent, .all: rows
        case .platform: []
        }
    }

    /// Those that are meant; the seed decides where a lot is drawn.
    func chosen(from rows: [ComponentRow], seed: UInt64) -> [ComponentRow] {
        let candidates = candidates(in: rows).sorted { $0.id < $1.id }
        guard share(of: candidates.count) < candidates.count else { return candidates }
        var random = Lots(seed: seed)
        return Array(candidates.shuffled(using: &random).prefix(share(of: candidates.count)))
    }
}
