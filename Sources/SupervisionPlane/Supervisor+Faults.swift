internal import Control
internal import CoreHosting
internal import EventLoop
internal import Faults
internal import Glibc
internal import Logging
internal import Supervision

/// Faults that are injected on purpose, where `run --allow-faults` allows it: the book decides, this carries out.
extension Supervisor {
    func fault(_ request: FaultRequest, _ exchange: ControlExchange) throws(ControlError) {
        guard let desk = faults else {
            if request == .list {
                return exchange.reply(
                    FaultsReply(isAllowed: false, faults: [], ended: [], leftBehind: leftBehindFaults))
            }
            throw ControlError(
                .refused, "faults are off; start the supervisor with `corehost run --allow-faults` to have them")
        }
        switch request {
        case .inject(let injection): try inject(injection, desk, exchange)
        case .list:
            exchange.reply(
                FaultsReply(
                    isAllowed: true, faults: desk.book.inForce.map { desk.row($0, at: now) },
                    ended: desk.book.over.map { desk.row($0, at: now) }, leftBehind: leftBehindFaults))
        case .clear(let id): try clear(id, desk, exchange)
        }
    }

    private func inject(
        _ injection: FaultInjection, _ desk: FaultDesk, _ exchange: ControlExchange
    ) throws(ControlError) {
        guard phase == .running else { throw notRunning }
        guard injection.isDetached || exchange.takesAnswer else {
            throw ControlError(
                .refused, "a request without \"id\" has nothing that a fault could end with; give one, or \"detach\"")
        }
        let entry: FaultEntry
        let actions: [FaultBook.Action]
        let owner: UInt64? = injection.isDetached ? nil : desk.lastOwner + 1
        do throws(FaultRefusal) {
            let order = try FaultOrder(
                kind: injection.kind, target: injection.target, parameters: injection.parameters,
                wish: FaultOrder.Wish(
                    count: injection.count, rate: injection.rate,
                    duration: injection.duration.map { .seconds(max(-1e9, min(1e9, $0))) }, most: injection.most),
                seed: injection.seed.map { UInt64($0) }
                    ?? UInt64.random(in: 0...UInt64(FaultInjection.seeds.upperBound)))
            if order.selector != .platform, drivers.isEmpty { try requireLoginForFaults() }
            var book = desk.book
            (entry, actions) = try book.inject(order, among: roster, owner: owner, at: now)
            // Nothing is done that the next run would not know of.
            desk.notes[entry.id] = FaultDesk.Note(
                by: "process \(exchange.caller.pid), uid \(exchange.caller.uid)", began: "\(LogTime.now())")
            let rows = (desk.book.inForce + [entry]).map { desk.row($0, at: now) }
            if let reason = desk.file.write(rows) {
                throw .refused("the fault cannot be noted in \(desk.file.path): \(reason); mend that first")
            }
            desk.book = book
        } catch {
            throw ControlError(error)
        }
        say(.warning, "fault injected", fields(entry))
        journal.record(.faultInjected, fields(entry))
        let reply = FaultReply(fault: desk.row(entry, at: now))
        if let owner {
            desk.lastOwner = owner
            desk.watchers[entry.id] = exchange
            exchange.onGone = { [weak self] in self?.faultOwnerGone(owner) }
            exchange.replyAndStream(reply)
        } else {
            exchange.reply(reply)
        }
        perform(actions, desk)
    }

    private func requireLoginForFaults() throws(FaultRefusal) {
        do throws(ControlError) {
            try requireLogin()
        } catch {
            throw .refused(error.message)
        }
    }

    private func clear(_ id: Int?, _ desk: FaultDesk, _ exchange: ControlExchange) throws(ControlError) {
        let before = desk.book.inForce.map(\.id)
        do throws(FaultRefusal) {
            perform(try id.map { id throws(FaultRefusal) in try desk.book.clear(id) } ?? desk.book.clearAll(), desk)
        } catch {
            throw ControlError(error)
        }
        let cleared = before.filter { id == nil || $0 == id }.compactMap { desk.book[$0] }
        exchange.reply(FaultClearReply(cleared: cleared.map { desk.row($0, at: now) }))
    }

    private func faultOwnerGone(_ owner: UInt64) {
        guard let desk = faults else { return }
        perform(desk.book.ownerGone(owner), desk)
    }

    /// The supervisor ends: everything is undone before anything else.
    func endFaults() {
        guard let desk = faults else { return }
        let rows = desk.book.inForce.map { desk.row($0, at: now) }
        perform(desk.book.clearAll(.shutdown), desk)
        // Who injected them may have gone with it: the next run says it once more.
        note(rows, desk)
        for timer in desk.heldUp.values { timer.close() }
        desk.heldUp = [:]
        desk.timer.stop()
    }

    /// At the start: what was in force when an earlier run ended.
    func takeLeftBehindFaults() {
        let file = FaultFile(folder: folder.path)
        guard let rows = file.take() else {
            return say(.warning, "what was noted of faults of the last run cannot be read", ["path": file.path])
        }
        leftBehindFaults = rows
        for row in rows {
            let fields = [
                "fault": "\(row.id)", "kind": row.kind, "target": row.target, "seed": "\(row.seed)", "began": row.began,
                "by": row.by,
            ]
            say(.warning, "a fault of the last run was undone by its end", fields)
            journal.record(.faultLeftBehind, fields)
        }
    }

    // MARK: Going on

    private var roster: [FaultMember] {
        order.compactMap { drivers[$0] }.map { driver in
            let condition: FaultMember.Condition =
                switch driver.machine.state {
                case .running: .running
                case .starting, .closing, .waiting: .onItsWay
                case .down, .failed: .atRest
                }
            return FaultMember(driver.id, generation: driver.machine.generation, condition)
        }
    }

    /// A component has changed, or time has passed.
    func lookAtFaults() {
        guard let desk = faults, !desk.book.inForce.isEmpty, !desk.isLooking else { return }
        desk.isLooking = true
        // What is done to a component changes it, and that may be what the next application waits for.
        while true {
            let actions = desk.book.look(at: roster, now)
            if actions.isEmpty { break }
            perform(actions, desk)
        }
        desk.isLooking = false
        armFaultTimer(desk)
    }

    private func armFaultTimer(_ desk: FaultDesk) {
        guard let deadline = desk.book.deadline(after: now) else { return desk.timer.stop() }
        desk.timer.start(after: max(.zero, deadline - now)) { [unowned self] in lookAtFaults() }
    }

    private func perform(_ actions: [FaultBook.Action], _ desk: FaultDesk) {
        for action in actions {
            switch action {
            case .apply(let entry, let target): apply(entry, target, desk)
            case .undo(let entry, let target): undo(entry, target, desk)
            case .ended(let entry): ended(entry, desk)
            }
        }
        if !actions.isEmpty { note(desk.book.inForce.map { desk.row($0, at: now) }, desk) }
        armFaultTimer(desk)
    }

    private func note(_ rows: [FaultRow], _ desk: FaultDesk) {
        guard let reason = desk.file.write(rows) else { return }
        say(.error, "what is in force of faults cannot be noted", ["path": desk.file.path, "reason": reason])
    }

    private func apply(_ entry: FaultEntry, _ target: FaultTarget, _ desk: FaultDesk) {
        let driver = target.id.flatMap { drivers[$0] }
        if let driver { deliver(.faultApplied(InjectedFault(entry)), to: driver.id) }
        carryOut(entry, driver) { [unowned self] reason in
            guard let reason else { return tell(.faultApplied, "applied", entry, driver, nil, desk) }
            desk.book.failed(entry.id, target)
            if let driver { deliver(.faultUndone(id: entry.id), to: driver.id) }
            tell(.faultFailed, "failed", entry, driver, reason, desk)
            // One that holds nothing and was used up is over.
            lookAtFaults()
        }
    }

    private func undo(_ entry: FaultEntry, _ target: FaultTarget, _ desk: FaultDesk) {
        let driver = target.id.flatMap { drivers[$0] }
        if case .component(_, let generation) = target, driver?.machine.generation != generation { return }
        takeBack(entry, driver)
        if let driver { deliver(.faultUndone(id: entry.id), to: driver.id) }
        tell(.faultUndone, "undone", entry, driver, nil, desk)
    }

    private func ended(_ entry: FaultEntry, _ desk: FaultDesk) {
        let reason = entry.ending?.rawValue ?? ""
        var fields = fields(entry)
        fields["reason"] = reason
        fields["applied"] = "\(entry.applied)"
        say(.notice, "fault ended", fields)
        journal.record(.faultEnded, fields)
        let watcher = desk.watchers.removeValue(forKey: entry.id)
        watcher?.onGone = nil
        watcher?.send(news("ended", entry, nil, reason))
        watcher?.end()
        let kept = Set((desk.book.inForce + desk.book.over).map(\.id))
        desk.notes = desk.notes.filter { kept.contains($0.key) }
    }

    /// Calls into the core that throw on purpose, as causes of what is now told of a component: which one it strikes, the core alone
    /// knows.
    func faultsOfCore(behind event: ComponentEvent) -> [InjectedFault] {
        switch event {
        case .launchFailed, .prepareFailed, .protocolViolated: break
        default: return []
        }
        let entries = faults?.book.inForce ?? []
        return entries.filter { $0.kind == .coreException }.map(InjectedFault.init)
    }

    // MARK: Telling

    private func tell(
        _ kind: EventKind, _ what: String, _ entry: FaultEntry, _ driver: ComponentDriver?, _ detail: String?,
        _ desk: FaultDesk
    ) {
        var fields: [String: String?] = ["fault": "\(entry.id)", "kind": entry.kind.rawValue]
        if let detail { fields["reason"] = detail }
        if let driver { note(kind, about: driver, fields) } else { journal.record(kind, fields) }
        if let driver {
            say(.notice, "fault \(what)", about: driver, fields)
        } else {
            say(.notice, "fault \(what)", fields)
        }
        desk.watchers[entry.id]?.send(news(what, entry, driver, detail))
    }

    private func news(
        _ what: String, _ entry: FaultEntry, _ driver: ComponentDriver?, _ detail: String?
    ) -> FaultNews {
        FaultNews(
            fault: entry.id, kind: entry.kind.rawValue, time: "\(LogTime.now())", what: what,
            component: driver.map { "\($0.id)" }, generation: driver.map { Int(clamping: $0.machine.generation) },
            detail: detail)
    }

    private func fields(_ entry: FaultEntry) -> [String: String?] {
        let parameters = entry.order.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        var fields: [String: String?] = [
            "fault": "\(entry.id)", "kind": entry.kind.rawValue, "target": "\(entry.order.selector)",
            "seed": "\(entry.order.seed)", "count": "\(entry.leash.count)", "rate": "\(entry.leash.rate)",
            "duration": entry.leash.duration.text, "most": "\(entry.leash.most)",
            "detached": entry.owner == nil ? "yes" : "no",
        ]
        if !parameters.isEmpty { fields["parameters"] = parameters.joined(separator: " ") }
        if let by = faults?.notes[entry.id]?.by { fields["by"] = by }
        return fields
    }

    /// An armed fault lies in wait where the component has just come: gives it, with its verdicts and news told.
    func tripFault(_ kind: FaultKind, _ driver: ComponentDriver) -> Fault? {
        guard let desk = faults else { return nil }
        let target = FaultTarget.component(driver.id, generation: driver.machine.generation)
        guard let (entry, actions) = desk.book.trip(kind, target, at: now) else { return nil }
        deliver(.faultApplied(InjectedFault(entry)), to: driver.id)
        tell(.faultApplied, "applied", entry, driver, nil, desk)
        perform(actions, desk)
        return entry.order.fault
    }
}
