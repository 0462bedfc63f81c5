public import Supervision

/// Which components a fault is for.
public enum FaultSelector: Hashable, Sendable {
    case id(String)
    case app(String)
    /// Path of the entry file, without the leading slash.
    case entry(String)
    /// So many, drawn anew for each round.
    case random(Int)
    /// So many of a hundred, at least one, drawn anew for each round.
    case percent(Int)
    case all
    /// Not components: the platform as a whole.
    case platform

    public static let forms = "id=ID, app=DOMAIN, entry=FILE, random:N, N% or all"

    public init(_ text: String) throws(FaultRefusal) {
        func value(_ prefix: String) -> String? {
            text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count ? String(text.dropFirst(prefix.count)) : nil
        }
        if text == "all" {
            self = .all
        } else if let id = value("id=") {
            self = .id(id)
        } else if let app = value("app=") {
            self = .app(app)
        } else if let entry = value("entry=") {
            self = .entry(entry.hasPrefix("/") ? String(entry.dropFirst()) : entry)
        } else if let number = value("random:").flatMap({ Int($0) }), (1...10_000).contains(number) {
            self = .random(number)
        } else if text.hasSuffix("%"), let percent = Int(text.dropLast()), (1...100).contains(percent) {
            self = .percent(percent)
        } else {
            throw .usage("the target \"\(text.prefix(80))\" is none of \(Self.forms) (N from 1 to 10000, or 100 %)")
        }
    }

    /// Whether it may choose this component.
    public func covers(_ id: ComponentID) -> Bool {
        switch self {
        case .id(let name): "\(id)" == name
        case .app(let app): id.appDomain == app
        case .entry(let entry): id.entrypoint == "/" + entry
        case .random, .percent, .all: true
        case .platform: false
        }
    }

    /// Whatever components there are, there is one that either may choose.
    func isSureToMeet(_ other: FaultSelector) -> Bool {
        switch (self, other) {
        case (.platform, _), (_, .platform): self == other
        case (.all, _), (_, .all), (.random, _), (_, .random), (.percent, _), (_, .percent): true
        case (.id(let id), .app(let app)), (.app(let app), .id(let id)): id.hasPrefix(app + "/")
        default: self == other
        }
    }

    /// How many of so many it chooses.
    public func share(of count: Int) -> Int {
        switch self {
        case .id, .app, .entry, .all: count
        case .random(let number): min(number, count)
        case .percent(let percent): (count * percent + 99) / 100
        case .platform: 1
        }
    }
}

extension FaultSelector: CustomStringConvertible {
    public var description: String {
        switch self {
        case .id(let id): "id=\(id)"
        case .app(let app): "app=\(app)"
        case .entry(let entry): "entry=\(entry)"
        case .random(let number): "random:\(number)"
        case .percent(let percent): "\(percent)%"
        case .all: "all"
        case .platform: "platform"
        }
    }
}
