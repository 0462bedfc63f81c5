/// How much memory a component's process may hold of its own; bytes.
public struct MemoryPolicy: Hashable, Sendable {
    /// What an engine needs for a small component, its collector included: with less, components of a few lines die.
    public static let leastHard = 16 << 20
    /// An idle component holds some 4 MiB.
    public static let leastSoft = 8 << 20
    public static let most = 1 << 40
    /// Beyond `hard`: stacks of the engine's threads, and what it takes in advance.
    public static let room = 32 << 20

    /// What a process holds when it is limited, and some.
    static let beginning = 32 << 20

    /// Above it: an event, and a collection.
    public var soft: Int
    /// The engine gets no more than this and `room`.
    public var hard: Int

    /// Without traffic for so long after some, what the engine no longer needs is collected, once.
    public var collectAfter: Duration

    public init(soft: Int = 256 << 20, hard: Int = 512 << 20, collectAfter: Duration = .seconds(10)) {
        self.soft = soft
        self.hard = hard
        self.collectAfter = collectAfter
    }

    /// What the engine gets from the kernel once it is there.
    public var growth: Int { hard + Self.room }
    /// What no process may hold: tables of shapes and compiled code grow in what the engine has taken before that.
    public var end: Int { growth + Self.beginning }
}

/// What a process held when it was over its limit; bytes.
public struct OverMemory: Hashable, Sendable {
    public let held: Int
    public let limit: Int

    public init(held: Int, limit: Int) {
        self.held = held
        self.limit = limit
    }
}

/// What is to be done about the memory of one process. Fed with what is seen of it; has no clock.
public struct MemoryWatch: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// It has gone over the soft limit. Told again once it was back under nine tenths of it.
        case warn
        case recovered
        /// It is over all that it may hold. Nothing comes after it.
        case end(OverMemory)
    }

    public var policy: MemoryPolicy
    private var isAboveSoft = false
    private var isOver = false

    public init(_ policy: MemoryPolicy) { self.policy = policy }

    public mutating func see(_ held: Int) -> Action? {
        guard !isOver else { return nil }
        if held > policy.end {
            isOver = true
            return .end(OverMemory(held: held, limit: policy.end))
        }
        if !isAboveSoft, held > policy.soft {
            isAboveSoft = true
            return .warn
        }
        if isAboveSoft, held <= policy.soft - policy.soft / 10 {
            isAboveSoft = false
            return .recovered
        }
        return nil
    }
}

extension Int {
    /// A number of bytes as people write it: `512 KiB`, `1.5 MiB`, `2 GiB`.
    public var sizeText: String {
        for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] where self >= unit {
            let tenths = (self * 10 + unit / 2) / unit
            return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(self) bytes"
    }
}
