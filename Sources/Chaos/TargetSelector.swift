internal import Control

/// Which components something is done to: `id=ID`, `app=DOMAIN`, `entry=FILE`, `random:N`, `N%`, `all`.
public enum TargetSelector: Equatable, Sendable, CustomStringConvertible {
    case id(String)
    case app(String)
    case entry(String)
    case random(Int)
    case percentage(Int)
    case all

    static let expected = "id=ID, app=DOMAIN, entry=FILE, random:N, N% or all"

    init?(_ text: String) {
        func value(behind prefix: String) -> String? {
            text.hasPrefix(prefix) && text.count > prefix.count ? String(text.dropFirst(prefix.count)) : nil
        }
        if text == "all" {
            self = .all
        } else if let id = value(behind: "id=") {
            self = .id(id)
        } else if let app = value(behind: "app=") {
            self = .app(app)
        } else if let entry = value(behind: "entry=") {
            self = .entry(entry)
        } else if let number = value(behind: "random:").flatMap(Int.init), (1...10_000).contains(number) {
            self = .random(number)
        } else if text.hasSuffix("%"), let share = Int(text.dropLast()), (1...100).contains(share) {
            self = .percentage(share)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .id(let id): "id=\(id)"
        case .app(let app): "app=\(app)"
        case .entry(let entry): "entry=\(entry)"
        case .random(let count): "random:\(count)"
        case .percentage(let share): "\(share)%"
        case .all: "all"
        }
    }

    /// Those it may mean, before any lot is drawn.
    func candidates(in rows: [ComponentRow]) -> [ComponentRow] {
        switch self {
        case .id(let id): rows.filter { $0.id == id || $0.connector == id }
        case .app(let app): rows.filter { $0.app == app }
        case .entry(let entry): rows.filter { $0.entry == entry || $0.entry == "/\(entry)" }
        case .random, .percentage, .all: rows
        }
    }

    /// Those that are meant; the seed decides where a lot is drawn. A share is rounded up.
    func chosen(from rows: [ComponentRow], seed: UInt64) -> [ComponentRow] {
        let candidates = candidates(in: rows).sorted { $0.id < $1.id }
        var random = ChaosRandom(seed: seed)
        switch self {
        case .id, .app, .entry, .all: return candidates
        case .random(let count): return Array(candidates.shuffled(using: &random).prefix(count))
        case .percentage(let share):
            return Array(candidates.shuffled(using: &random).prefix((candidates.count * share + 99) / 100))
        }
    }
}

/// SplitMix64: the same numbers for the same seed on every machine.
struct ChaosRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
