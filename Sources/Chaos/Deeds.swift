internal import Control
internal import Supervision

/// Deeds as requests.
enum Deeds {
    private static let limit = Duration.seconds(60)

    static func perform(_ deed: ActionPlan.Deed, _ seed: UInt64, _ line: Worker.Line) -> ActAnswer {
        do throws(ControlError) {
            let rows = try line.ask(.ps, as: PsReply.self, within: limit).components
            let able: [ComponentRow] =
                switch deed {
                case .kill: rows.filter { $0.pid != nil }
                case .restart: rows
                }
            let chosen = deed.target.chosen(from: able, seed: seed)
            guard !chosen.isEmpty else { return .nothing("no component \(deed.target) could take it") }
            var done: [String] = []
            for row in chosen where try perform(deed, row.id, line) { done.append(row.id) }
            return done.isEmpty ? .nothing("what was chosen had ended meanwhile") : .done(done)
        } catch {
            return .refused(error)
        }
    }

    /// Nothing outlives its connection but what `fault.list` still has of it, which is nothing if this is empty.
    static func undo(_ line: Worker.Line) -> [String] { [] }

    /// False when the component ended in the same moment.
    private static func perform(
        _ deed: ActionPlan.Deed, _ id: String, _ line: Worker.Line
    ) throws(ControlError) -> Bool {
        do throws(ControlError) {
            switch deed {
            case .kill(_, let signal):
                _ = try line.ask(.kill(id: id, signal: signal), as: ComponentReply.self, within: limit)
            case .restart: _ = try line.ask(.restart(id: id), as: ComponentReply.self, within: limit)
            }
            return true
        } catch  where [.failed, .noSuchID].contains(error.exitCode) {
            return false
        }
    }
}
