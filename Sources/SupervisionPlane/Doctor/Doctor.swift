internal import Control

/// Compares what is believed with what was found. Looks at nothing itself.
struct Doctor {
    /// A component that has, or should have, a process.
    struct Believed {
        let id: String
        let state: String
        let pid: Int32?
        /// Seconds since the machine's start, before and after the spawn; nil: not known.
        var born: ClosedRange<Double>?
    }

    /// A path and what is wrong with it; nil = nothing.
    struct Place {
        let path: String
        let problem: String?
        let advice: String
    }

    /// Something that should have happened.
    struct Due {
        let subject: String
        let name: String
        let secondsAgo: Double
    }

    private(set) var checks: [DoctorReply.Check] = []
    private(set) var differences: [DoctorReply.Difference] = []

    /// Seconds by which a process's start may lie outside of what was seen of its spawn: the kernel counts in ticks.
    static let spawnTolerance = 0.1

    /// A timer may be this late, in seconds, without a word: the machine may be busy.
    static let lateness = 2.0

    var reply: DoctorReply { DoctorReply(checks: checks, differences: differences) }

    mutating func compareProcesses(_ believed: [Believed], zygote: Int32? = nil, _ children: [ChildFact]?) {
        let check = "processes"
        guard let children else {
            checks.append(.init(check, "not checked: this kernel does not show the children of a process"))
            return
        }
        let withProcess = believed.filter { $0.pid != nil }
        checks.append(.init(check, "\(withProcess.count) of components, \(children.count) children of the supervisor"))
        for component in believed {
            guard let pid = component.pid else {
                if component.state == "running" {
                    differ(
                        check, component.id, "it runs", "it has no process", "corehost restart \(component.id)")
                }
                continue
            }
            guard let child = children.first(where: { $0.pid == pid }) else {
                differ(
                    check, component.id, "process \(pid)", "no child of the supervisor has that number",
                    "corehost restart \(component.id)")
                continue
            }
            if child.state == "Z" {
                differ(
                    check, component.id, "process \(pid) lives", "it has ended, and its exit was not taken",
                    "ask again; if it stays so, end the supervisor with `corehost shutdown` and start it again")
            } else if child.state == "T" || child.state == "t" {
                differ(
                    check, component.id, "process \(pid) runs", "it is stopped (SIGSTOP, or a debugger)",
                    "corehost kill \(component.id) --signal SIGCONT")
            }
            if child.session != pid, child.state != "Z" {
                differ(
                    check, component.id, "process \(pid) leads a session of its own", "its session is \(child.session)",
                    "corehost restart \(component.id)")
            }
            if child.group != pid, child.state != "Z" {
                differ(
                    check, component.id, "process \(pid) leads a process group of its own",
                    "its group is \(child.group)",
                    "corehost restart \(component.id)")
            }
            if let born = component.born, !Self.contains(born, child.startedAt) {
                differ(
                    check, component.id,
                    "process \(pid) was started \(Self.shown(born.lowerBound)) s after the machine",
                    "it was started \(Self.shown(child.startedAt)) s after: another process has its number",
                    "end the supervisor with `corehost shutdown` and start it again")
            }
        }
        let known = Set(believed.compactMap(\.pid))
        for child in children where !known.contains(child.pid) && child.pid != zygote {
            differ(
                check, "process \(child.pid)", "every child is a component's, or the zygote",
                "\(child.name) is a child and belongs to no component",
                "a program that opens a URL ends by itself; else `kill \(child.pid)`")
        }
    }

    /// - Parameters:
    ///   - base: before there was any component; nil = not known.
    ///   - children: processes of components.
    mutating func compareDescriptors(
        _ found: [DescriptorKind: Int], base: [DescriptorKind: Int]?, children: Int, limit: Int
    ) {
        let check = "descriptors"
        let all = found.values.reduce(0, +)
        let parts = DescriptorKind.allCases.compactMap { kind in found[kind].map { "\(kind.rawValue) \($0)" } }
        checks.append(.init(check, "\(all) of \(limit): \(parts.joined(separator: ", "))"))
        for kind in [DescriptorKind.pidfd, .pipe] {
            guard let base = kind == .pidfd ? 0 : base.map({ $0[kind] ?? 0 }) else { continue }
            let expected = base + children
            guard let count = found[kind] ?? (expected > 0 ? 0 : nil), count != expected else { continue }
            differ(
                check, kind.rawValue, "\(expected): \(base) of its own, one for each of \(children) processes",
                "\(count)",
                count > expected
                    ? "ask again; what stays open is a leak: end the supervisor with `corehost shutdown`, and report it"
                    : "ask again, a component may have just ended; if it stays so, `corehost shutdown` and start again")
        }
        if all * 5 > limit * 4 {
            differ(
                check, "limit", "there is room for more components", "\(all) of \(limit) are open",
                "raise the limit: `ulimit -n`, or LimitNOFILE= of the unit")
        }
    }

    mutating func look(_ check: String, _ believed: String, at places: [Place]) {
        checks.append(.init(check, places.map(\.path).joined(separator: ", ")))
        for place in places {
            if let problem = place.problem { differ(check, place.path, believed, problem, place.advice) }
        }
    }

    mutating func compareTimers(_ due: [Due]) {
        checks.append(.init("timers", "\(due.count) are set"))
        for timer in due where timer.secondsAgo > Self.lateness {
            let seconds = (timer.secondsAgo * 10).rounded() / 10
            differ(
                "timers", timer.subject, "\(timer.name) comes in time", "it is \(seconds) s overdue",
                "look whether the machine is overloaded, or was asleep; `corehost restart` sets a component's anew")
        }
    }

    mutating func compareThreads(_ names: [String], expected: [String]) {
        checks.append(.init("threads", "\(names.count)"))
        for name in expected where !names.contains(name) {
            differ(
                "threads", name, "the thread runs", "there is none of that name",
                "end the supervisor with `corehost shutdown` and start it again")
        }
    }

    mutating func compareLogs(_ written: Int, lost: Int, failure: String?) {
        checks.append(.init("logs", "\(written) lines written, \(lost) lost"))
        if let failure {
            differ("logs", "log files", "lines reach the disk", failure, "free some space there, or mend the folder")
        }
    }

    private static func contains(_ born: ClosedRange<Double>, _ moment: Double) -> Bool {
        moment >= born.lowerBound - spawnTolerance && moment <= born.upperBound + spawnTolerance
    }

    private static func shown(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }

    private mutating func differ(
        _ check: String, _ subject: String, _ believed: String, _ found: String, _ advice: String
    ) {
        differences.append(.init(check, subject, believed: believed, found: found, advice: advice))
    }
}
