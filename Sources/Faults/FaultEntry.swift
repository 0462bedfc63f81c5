public import Supervision

/// A component as the book sees it.
public struct FaultMember: Hashable, Sendable {
    public enum Condition: Hashable, Sendable {
        /// It is ready.
        case running
        /// It starts, closes or waits for its next start.
        case onItsWay
        /// It is down or has failed: nothing comes by itself.
        case atRest
    }

    public let id: ComponentID
    /// Of its present or last life.
    public let generation: UInt64
    public let condition: Condition

    public init(_ id: ComponentID, generation: UInt64, _ condition: Condition) {
        self.id = id
        self.generation = generation
        self.condition = condition
    }
}

/// What a fault is applied to.
public enum FaultTarget: Hashable, Sendable {
    case component(ComponentID, generation: UInt64)
    case platform

    public var id: ComponentID? { if case .component(let id, _) = self { id } else { nil } }
}

/// Why a fault is over.
public enum FaultEnding: String, Hashable, Sendable, CaseIterable {
    case count, duration, cleared
    case clientGone = "client-gone"
    case shutdown
    /// Nothing that it could be applied to is there any more.
    case noTarget = "no-target"
}

/// A fault that is in force, or was.
public struct FaultEntry: Hashable, Sendable {
    struct Hold: Hashable, Sendable {
        let target: FaultTarget
        let since: Instant
    }

    public let id: Int
    public let order: FaultOrder
    public let leash: FaultLeash
    /// Nil: it is detached.
    public let owner: UInt64?
    public let began: Instant
    public internal(set) var applied = 0
    public internal(set) var ending: FaultEnding?
    /// What it holds, or keeps from running, since when.
    var holds: [Hold] = []
    /// Components that an armed one lies in wait for.
    var armed: Set<ComponentID> = []
    /// Those of this round that are still to come, the next one last.
    var round: [ComponentID] = []
    /// Not before.
    var nextAt: Instant
    var random: Lots

    init(_ id: Int, _ order: FaultOrder, _ leash: FaultLeash, owner: UInt64?, at now: Instant) {
        self.id = id
        self.order = order
        self.leash = leash
        self.owner = owner
        began = now
        nextAt = now
        random = Lots(seed: order.seed)
    }

    public var kind: FaultKind { order.kind }
    public var endsAt: Instant { began + leash.duration }
    public var held: [ComponentID] { holds.compactMap(\.target.id).sorted() }
    var isUsedUp: Bool { applied >= leash.count }

    /// Components that it may still be applied to.
    func mayAffect(_ id: ComponentID) -> Bool {
        kind.manner == .armed ? armed.contains(id) : order.selector.covers(id)
    }
}
