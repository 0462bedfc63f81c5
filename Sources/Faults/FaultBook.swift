public import Supervision

/// All faults of one run of the supervisor. Decides when which one is applied to what and when it is undone; never acts,
/// and has no clock and no dice but those of the seeds.
///
/// The driver calls `look` whenever a component has changed and at `deadline`, and performs the actions in order.
public struct FaultBook: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case apply(FaultEntry, FaultTarget)
        case undo(FaultEntry, FaultTarget)
        /// Everything of it is undone by the actions before this one.
        case ended(FaultEntry)
    }

    public static let mostInForce = 64
    public static let mostKept = 50
    /// A component that was hit and still runs was not harmed: it is let go of after this long.
    public static let harmlessAfter = Duration.seconds(1)

    /// By id.
    public private(set) var inForce: [FaultEntry] = []
    /// The last ones that are over, newest first.
    public private(set) var over: [FaultEntry] = []
    private var lastID = 0

    public init() {}

    /// - Parameters:
    ///   - roster: all components there are.
    ///   - owner: the connection with which it ends; nil = none.
    public mutating func inject(
        _ order: FaultOrder, among roster: [FaultMember], owner: UInt64?, at now: Instant
    ) throws(FaultRefusal) -> (entry: FaultEntry, actions: [Action]) {
        let covered = roster.map(\.id).filter(order.selector.covers)
        guard order.selector == .platform || !covered.isEmpty else {
            throw .noTarget("no component is chosen by \(order.selector); `corehost ps` lists them")
        }
        guard inForce.count < Self.mostInForce else {
            throw .refused(
                "\(inForce.count) faults are in force, which is the most; clear one with `corehost fault clear`")
        }
        let leash = try FaultLeash(
            order.wish, order.kind.manner, choosing: order.selector.share(of: covered.count))
        var entry = FaultEntry(lastID + 1, order, leash, owner: owner, at: now)
        if order.kind.manner == .armed {
            let chosen = covered.shuffled(using: &entry.random).prefix(
                min(leash.most, order.selector.share(of: covered.count)))
            entry.armed = Set(chosen)
        }
        try checkConflicts(of: entry, among: covered)
        lastID += 1
        inForce.append(entry)
        let actions = look(at: roster, now)
        return (self[entry.id] ?? entry, actions)
    }

    public subscript(id: Int) -> FaultEntry? {
        inForce.first { $0.id == id } ?? over.first { $0.id == id }
    }

    private func checkConflicts(of new: FaultEntry, among covered: [ComponentID]) throws(FaultRefusal) {
        for old in inForce {
            guard let reason = FaultConflicts.reason(new.order.fault, new.kind, old.kind) else { continue }
            let isSame = new.order.selector == .platform || old.order.selector == .platform
            let common = covered.first { new.mayAffect($0) && old.mayAffect($0) }
            guard isSame || common != nil else { continue }
            let place = common.map { " on \($0)" } ?? ""
            throw .refused(
                "\(new.kind.rawValue) does not go with fault \(old.id) (\(old.kind.rawValue))\(place): \(reason);"
                    + " clear that one with `corehost fault clear \(old.id)`, or choose others")
        }
    }

    // MARK: Time and news

    /// When `look` is due, if no news comes before.
    public func deadline(after now: Instant) -> Instant? {
        inForce.flatMap { entry -> [Instant] in
            let releases = entry.kind.manner == .once ? entry.holds.map { $0.since + Self.harmlessAfter } : []
            let next = entry.kind.manner != .armed && !entry.isUsedUp && entry.nextAt > now ? [entry.nextAt] : []
            return [entry.endsAt] + releases + next
        }.min()
    }

    /// Goes on with everything, as the components are now.
    public mutating func look(at roster: [FaultMember], _ now: Instant) -> [Action] {
        guard !inForce.isEmpty else { return [] }
        let members = Dictionary(roster.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var actions: [Action] = []
        for id in inForce.map(\.id) { actions += look(at: id, roster, members, now) }
        return actions
    }

    private mutating func look(
        at id: Int, _ roster: [FaultMember], _ members: [ComponentID: FaultMember], _ now: Instant
    ) -> [Action] {
        guard let index = inForce.firstIndex(where: { $0.id == id }) else { return [] }
        if now >= inForce[index].endsAt { return end(id, .duration) }
        inForce[index].release(members, now)
        var actions: [Action] = []
        while let target = inForce[index].next(roster, now) {
            actions.append(.apply(inForce[index], target))
        }
        let entry = inForce[index]
        if entry.kind.manner != .armed, entry.isUsedUp, entry.holds.isEmpty || entry.kind.manner == .once {
            return actions + end(id, .count)
        }
        if entry.order.selector != .platform, entry.holds.isEmpty, !roster.contains(where: { entry.mayAffect($0.id) }) {
            return actions + end(id, .noTarget)
        }
        return actions
    }

    /// The component comes to a point where an armed fault of this kind may lie in wait: gives the one that strikes, and what
    /// follows of that.
    public mutating func trip(
        _ kind: FaultKind, _ target: FaultTarget, at now: Instant
    ) -> (entry: FaultEntry, actions: [Action])? {
        guard let found = armed(kind, target, at: now), let index = inForce.firstIndex(where: { $0.id == found.id })
        else { return nil }
        inForce[index].applied += 1
        inForce[index].nextAt = now + inForce[index].leash.interval
        let entry = inForce[index]
        return (entry, entry.isUsedUp ? end(entry.id, .count) : [])
    }

    /// The one that would strike, if the component came there.
    public func armed(_ kind: FaultKind, _ target: FaultTarget, at now: Instant) -> FaultEntry? {
        inForce.first { entry in
            entry.kind == kind && !entry.isUsedUp && now >= entry.nextAt && now < entry.endsAt
                && (target.id.map { entry.armed.contains($0) } ?? (entry.order.selector == .platform))
        }
    }

    /// What was to be applied there could not be.
    public mutating func failed(_ id: Int, _ target: FaultTarget) {
        guard let index = inForce.firstIndex(where: { $0.id == id }) else { return }
        inForce[index].holds.removeAll { $0.target == target }
    }

    // MARK: The end

    /// - Throws: when there is no such fault in force.
    public mutating func clear(_ id: Int) throws(FaultRefusal) -> [Action] {
        guard inForce.contains(where: { $0.id == id }) else {
            guard let entry = over.first(where: { $0.id == id }), let ending = entry.ending else {
                throw .noTarget("there is no fault \(id); `corehost fault list` shows those in force")
            }
            throw .noTarget("fault \(id) is over already (\(ending.rawValue)); nothing of it is left")
        }
        return end(id, .cleared)
    }

    public mutating func clearAll(_ why: FaultEnding = .cleared) -> [Action] {
        inForce.map(\.id).flatMap { end($0, why) }
    }

    public mutating func ownerGone(_ owner: UInt64) -> [Action] {
        inForce.filter { $0.owner == owner }.flatMap { end($0.id, .clientGone) }
    }

    private mutating func end(_ id: Int, _ why: FaultEnding) -> [Action] {
        guard let index = inForce.firstIndex(where: { $0.id == id }) else { return [] }
        var entry = inForce.remove(at: index)
        let holds = entry.kind.manner == .held ? entry.holds : []
        entry.ending = why
        entry.holds = []
        entry.armed = []
        entry.round = []
        over.insert(entry, at: 0)
        if over.count > Self.mostKept { over.removeLast() }
        return holds.map { .undo(entry, $0.target) } + [.ended(entry)]
    }
}

extension FaultEntry {
    /// Lets go of what is no longer there to be held, or runs again.
    mutating func release(_ members: [ComponentID: FaultMember], _ now: Instant) {
        let isHeld = kind.manner == .held
        holds.removeAll { hold in
            guard case .component(let id, let generation) = hold.target else { return false }
            guard let member = members[id] else { return true }
            if isHeld { return member.generation != generation || member.condition == .atRest }
            switch member.condition {
            case .atRest: return true
            case .running: return member.generation != generation || now - hold.since >= FaultBook.harmlessAfter
            case .onItsWay: return false
            }
        }
    }

    /// The next target, if one is due; takes note of its application.
    mutating func next(_ roster: [FaultMember], _ now: Instant) -> FaultTarget? {
        guard kind.manner != .armed, !isUsedUp, now >= nextAt, holds.count < leash.most else { return nil }
        guard let target = order.selector == .platform ? platformTarget : componentTarget(roster) else { return nil }
        applied += 1
        // From when it was due: so many a second, also where the clock is looked at late.
        nextAt = max(nextAt + leash.interval, now + (leash.interval - .milliseconds(50)))
        holds.append(Hold(target: target, since: now))
        return target
    }

    private var platformTarget: FaultTarget? {
        kind.manner == .held && !holds.isEmpty ? nil : .platform
    }

    private mutating func componentTarget(_ roster: [FaultMember]) -> FaultTarget? {
        let held = Set(holds.compactMap(\.target.id))
        let free = roster.filter { $0.condition == .running && !held.contains($0.id) && order.selector.covers($0.id) }
        if round.isEmpty {
            // Sorted, so that the seed alone decides.
            let ids = free.map(\.id).sorted().shuffled(using: &random)
            round = Array(ids.prefix(order.selector.share(of: ids.count)))
        }
        while let id = round.popLast() {
            if let member = free.first(where: { $0.id == id }) {
                return .component(id, generation: member.generation)
            }
        }
        return nil
    }
}
