import Foundation
import Glibc

/// What starting, keeping and losing components costs, with the platform's own JavaScript in every child.
///
/// Rests on the supervisor's log lines `component spawned`, `component ready` and `component exited`
/// (docs/architecture.md, "What the log says of a life").
enum LifecycleFigures {
    static let crowd = 100

    static let spawnToReady = Figure(
        id: "spawn-to-ready", title: "spawn to ready, p50", unit: .nanoseconds, goal: .ratio(atMost: 2.0))
    static let killToReady = Figure(
        id: "kill-to-ready", title: "kill to ready, p50; reference: spawn to ready", unit: .nanoseconds,
        goal: .ratio(atMost: 1.2))
    static let exitSeen = Figure(
        id: "exit-seen", title: "kill to exit seen, p99, beside \(crowd)", unit: .nanoseconds,
        goal: .value(atMost: 10e6))
    static let allReady = Figure(
        id: "all-ready", title: "\(crowd) at once, all ready", unit: .nanoseconds, goal: .none)
    static let idleMemory = Figure(
        id: "idle-memory", title: "idle component, proportional memory, \(crowd) running", unit: .bytes,
        goal: .ratio(atMost: 1.8))
    static let all = [spawnToReady, killToReady, exitSeen, allReady, idleMemory]

    /// A component that was ready for 10 s is retried at once, so what is measured after that is the work, by the rules
    /// that hold without any configuration.
    private static let healthyAfter: UInt32 = 11

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let references = places.references
        let start = try references.value("spawn_to_ready_p50_ns", of: "jsc-child", "start", "50")
        let together = try references.values(of: "jsc-child", ["crowd", "\(crowd)"])
        return try Scratch.withSupervisor { scratch in
            try Supervisor(
                scratch, programs: places.programs, apps: places.idleApps(crowd, in: scratch),
                resources: places.resources)
        } _: { supervisor in
            let (pids, took) = try startOfAll(supervisor.log)
            sleep(healthyAfter)
            let memory = try pids.values.map(proportionalBytes)
            let deaths = try pids.map { try killAndAwait($0.key, $0.value, supervisor.log) }
            let spawns = median(deaths.map(\.spawnToReady))
            return [
                spawnToReady.id: Sample(ours: spawns, reference: start),
                killToReady.id: Sample(ours: median(deaths.map(\.killToReady)), reference: spawns),
                exitSeen.id: Sample(ours: percentile(0.99, of: deaths.map(\.exitSeen)), reference: nil),
                allReady.id: Sample(ours: took, reference: together["all_ready_ns"]),
                idleMemory.id: Sample(
                    ours: memory.reduce(0, +) / Double(memory.count), reference: together["pss_bytes"]),
            ]
        }
    }

    /// One kill and what followed, in nanoseconds.
    private struct Death {
        let exitSeen: Double
        let killToReady: Double
        let spawnToReady: Double
    }

    /// The pid of each component, and the nanoseconds from the first spawn to the last ready by the log's own clock.
    private static func startOfAll(_ log: LogFollower) throws -> (pids: [String: pid_t], took: Double) {
        let first = try log.next("component spawned").writtenAt
        var pids: [String: pid_t] = [:]
        var last = first
        while pids.count < crowd {
            let ready = try log.next("component ready")
            pids[try field("component", of: ready)] = try pid(of: ready)
            last = ready.writtenAt
        }
        return (pids, Double(last - first) * 1e6)
    }

    private static func killAndAwait(_ component: String, _ victim: pid_t, _ log: LogFollower) throws -> Death {
        let killed = ContinuousClock.now
        guard kill(victim, SIGKILL) == 0 else { throw BenchError("cannot kill \(component), pid \(victim): \(errno)") }
        let exited = try log.next("component exited", about: component)
        let ready = try log.next("component ready", about: component)
        guard let spawnMillis = Double(try field("after", of: ready).replacing(" ms", with: "")) else {
            throw BenchError("\"after\" of \(component) is not milliseconds: \(ready.fields)")
        }
        return Death(
            exitSeen: nanoseconds(exited.at - killed), killToReady: nanoseconds(ready.at - killed),
            spawnToReady: spawnMillis * 1e6)
    }

    private static func pid(of line: LogLine) throws -> pid_t {
        let text = try field("pid", of: line)
        guard let pid = pid_t(text) else { throw BenchError("\"\(line.text)\" has pid \(text)") }
        return pid
    }

    private static func field(_ name: String, of line: LogLine) throws -> String {
        guard let value = line.fields[name] else { throw BenchError("\"\(line.text)\" has no field \(name)") }
        return value
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        duration / .nanoseconds(1)
    }

    /// `Pss` of a process.
    private static func proportionalBytes(of pid: pid_t) throws -> Double {
        let rollup = try String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)
        for line in rollup.split(separator: "\n") where line.hasPrefix("Pss:") {
            guard let kib = Double(line.split(separator: " ")[1]) else { break }
            return kib * 1024
        }
        throw BenchError("/proc/\(pid)/smaps_rollup has no Pss")
    }
}
