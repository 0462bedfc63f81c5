internal import Control
internal import Faults
internal import Supervision

/// Deeds as requests, all on one connection: faults last as long as that.
enum Deeds {
    private static let limit = Duration.seconds(60)

    static func perform(_ deed: ActionPlan.Deed, _ seed: UInt64, _ line: Worker.Line) -> ActAnswer {
        switch deed {
        case .kill(let target, let signal):
            each(of: target, seed, line) { row in row.pid == nil ? nil : .kill(id: row.id, signal: signal) }
        case .restart(let target): each(of: target, seed, line) { row in .restart(id: row.id) }
        case .fault(let plan): inject(plan, seed, line)
        }
    }

    /// - Throws: `refused` when the supervisor does no faults.
    static func requireFaults(_ line: Worker.Line) throws(ControlError) {
        guard try line.ask(.fault(.list), as: FaultsReply.self, within: limit).isAllowed else {
            throw ControlError(
                .refused,
                "the scenario injects faults, and this supervisor does none: start it with `corehost run --allow-faults`, or"
                    + " let the scenario have one with --own-supervisor")
        }
    }

    /// Undoes the faults with these numbers; gives what is still in force of them, in words.
    static func undo(_ faults: Set<Int>, _ line: Worker.Line) -> [String] {
        guard !faults.isEmpty else { return [] }
        do throws(ControlError) {
            for row in try inForce(faults, line) {
                do throws(ControlError) {
                    _ = try line.ask(.fault(.clear(id: row.id)), as: FaultClearReply.self, within: limit)
                } catch  where error.exitCode == .noSuchID {
                    // Over in the same moment.
                }
            }
            return try inForce(faults, line).map { "fault \($0.id) (\($0.kind) \($0.target))" }
        } catch {
            return ["it is not known what is in force: \(error.message)"]
        }
    }

    /// A question without consequences: with its answer comes what was told of faults meanwhile.
    static func keepReading(_ line: Worker.Line) {
        // A connection that is broken is noticed by whoever follows the events.
        _ = try? line.ask(.version, as: VersionReply.self, within: limit)
    }

    private static func inForce(_ faults: Set<Int>, _ line: Worker.Line) throws(ControlError) -> [FaultRow] {
        try line.ask(.fault(.list), as: FaultsReply.self, within: limit).faults.filter { faults.contains($0.id) }
    }

    private static func inject(_ plan: FaultPlan, _ seed: UInt64, _ line: Worker.Line) -> ActAnswer {
        let injection = FaultInjection(
            kind: plan.kind, target: plan.target, parameters: plan.parameters, count: plan.count, rate: plan.rate,
            duration: plan.duration.map { $0 / .seconds(1) }, most: plan.most,
            seed: Int(seed & UInt64(FaultInjection.seeds.upperBound)))
        do throws(ControlError) {
            let fault = try line.ask(.fault(.inject(injection)), as: FaultReply.self, within: limit).fault
            return .injected(fault: fault.id)
        } catch  where [.refused, .noSuchID].contains(error.exitCode) {
            // It does not go with what is in force, or nobody is there whom it could be for: now.
            return .nothing(error.message)
        } catch {
            return .refused(error)
        }
    }

    private static func each(
        of target: FaultSelector, _ seed: UInt64, _ line: Worker.Line,
        _ request: (ComponentRow) -> ControlRequest?
    ) -> ActAnswer {
        do throws(ControlError) {
            let rows = try line.ask(.ps, as: PsReply.self, within: limit).components
            let chosen = target.chosen(from: rows.filter { request($0) != nil }, seed: seed)
            guard !chosen.isEmpty else { return .nothing("no component \(target) could take it") }
            var done: [String] = []
            for row in chosen {
                guard let request = request(row) else { continue }
                do throws(ControlError) {
                    _ = try line.ask(request, as: ComponentReply.self, within: limit)
                    done.append(row.id)
                } catch  where [.failed, .noSuchID].contains(error.exitCode) {
                    // It ended in the same moment.
                }
            }
            return done.isEmpty ? .nothing("what was chosen had ended meanwhile") : .done(done)
        } catch {
            return .refused(error)
        }
    }
}
