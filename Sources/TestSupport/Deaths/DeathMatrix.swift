internal import Foundation
internal import Glibc
internal import Synchronization

/// All kinds of death, so many times each.
public enum DeathMatrix {
    public struct Outcome: Sendable {
        public var kinds = 0
        public var skipped = 0
        public var deaths = 0
        public var wrong = 0

        public var summary: String {
            let left = skipped == 0 ? "" : ", \(skipped) kinds left out that only root can bring about"
            return "\(kinds) kinds of death, \(deaths) deaths, \(wrong) wrong causes\(left)"
        }
    }

    /// Two by two, as one waits for the other's limits most of the time; one at a time where the program is replaced.
    private static let side = 4

    /// - Parameter complain: is told of every verdict that is wrong.
    public static func run(times: Int, complain: @escaping @Sendable (String) -> Void) throws -> Outcome {
        let possible = DeathKind.possible
        var outcome = Outcome(kinds: possible.count + 1, skipped: DeathKind.all.count - possible.count)
        // The slow ones first.
        let real = possible.filter { $0.script == nil }.sorted { $0.policy.count > $1.policy.count }
        for (kinds, side) in [(real, side), (possible.filter { $0.script != nil }, 1)] {
            let rig = try DeathRig(kinds)
            if side > 1 { for _ in 0..<2 { rig.beginLoad() } }
            let faults = try run(rig, times, side: side)
            outcome.deaths += kinds.count * times
            outcome.wrong += faults.count
            faults.forEach(complain)
            guard try rig.supervisor.end() == 0 else { throw TestFailure("the supervisor did not end in order") }
        }
        let faults = try shutdowns(times)
        outcome.deaths += times
        outcome.wrong += faults.count
        faults.forEach(complain)
        return outcome
    }

    private static func run(_ rig: DeathRig, _ times: Int, side: Int) throws -> [String] {
        let next = Mutex(0)
        let faults = Mutex<[String]>([])
        let done = DispatchGroup()
        for _ in 0..<side {
            done.enter()
            Foundation.Thread.detachNewThread {
                while let kind = next.withLock({ next in
                    defer { next += 1 }
                    return next < rig.kinds.count ? rig.kinds[next] : nil
                }) {
                    for _ in 0..<times {
                        do {
                            if let fault = try rig.die(kind) { faults.withLock { $0.append(fault) } }
                        } catch {
                            faults.withLock { $0.append("\(kind.name): \(error)") }
                        }
                    }
                }
                done.leave()
            }
        }
        done.wait()
        return faults.withLock { $0 }
    }

    /// Ten components of a platform that shuts down.
    private static func shutdowns(_ times: Int) throws -> [String] {
        var faults: [String] = []
        var left = times
        while left > 0 {
            let kinds = (0..<min(10, left)).map { DeathKind("down-\($0)", "shutdown", "proved", "", .starting) }
            let rig = try DeathRig(kinds)
            for kind in kinds {
                _ = try rig.supervisor.corehost("start", "\(kind.name).death")
            }
            guard try rig.supervisor.end() == 0 else { throw TestFailure("the supervisor did not end in order") }
            for kind in kinds {
                let line = rig.supervisor.program.lines.first {
                    $0.contains("] component ended") && $0.contains("component: \(kind.name).death/")
                }
                if line?.contains("cause: shutdown") != true || line?.contains("how sure: proved") != true {
                    faults.append("shutdown of \(kind.name): \(line ?? "no end")")
                }
            }
            left -= kinds.count
        }
        return faults
    }
}
