import Control
import Testing

@testable import SupervisionPlane

/// What is made of facts, without a process.
@Suite struct DoctorTests {
    private let well = child(7, "corehost-compon")

    private static func child(
        _ pid: Int32, _ name: String, state: Character = "S", group: Int32? = nil, session: Int32? = nil,
        startedAt: Double = 100
    ) -> ChildFact {
        ChildFact(
            pid: pid, name: name, state: state, group: group ?? pid, session: session ?? pid, startedAt: startedAt)
    }

    private func processes(
        _ pid: Int32?, state: String = "running", _ children: [ChildFact]?, born: ClosedRange<Double>? = nil
    ) -> [String] {
        var doctor = Doctor()
        doctor.compareProcesses([.init(id: "a/x", state: state, pid: pid, born: born)], children)
        return doctor.reply.differences.map(\.found)
    }

    @Test func judgesProcesses() {
        #expect(processes(7, [well]) == [])
        #expect(processes(nil, state: "down", []) == [])
        #expect(processes(7, nil) == [])
        #expect(processes(nil, []) == ["it has no process"])
        #expect(processes(7, []) == ["no child of the supervisor has that number"])
        #expect(
            processes(7, [Self.child(7, "x", state: "Z", group: 1, session: 1)])
                == ["it has ended, and its exit was not taken"])
        #expect(processes(7, [Self.child(7, "x", session: 3)]) == ["its session is 3"])
        #expect(processes(7, [Self.child(7, "x", group: 4)]) == ["its group is 4"])
        #expect(processes(7, [well, Self.child(8, "x")]) == ["x is a child and belongs to no component"])
    }

    @Test(arguments: [(99.92, true), (100, true), (100.29, true), (99.8, false), (100.4, false), (3, false)])
    func knowsAProcessByItsStart(startedAt: Double, isOurs: Bool) {
        let found = processes(7, [Self.child(7, "x", startedAt: startedAt)], born: 100...100.2)
        #expect(found.isEmpty == isOurs, "\(found)")
        #expect(found.allSatisfy { $0.hasSuffix("another process has its number") })
    }

    @Test func thisProcessIsReadAsItIs() throws {
        // A child of a child is nobody's concern here; the kernel's own words are.
        let text = "7 (a) b) S 1 70 71 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 12345 1 1"
        let child = try #require(ChildFact(stat: text, pid: 7, ticksPerSecond: 100))
        #expect(child == ChildFact(pid: 7, name: "a) b", state: "S", group: 70, session: 71, startedAt: 123.45))
        #expect(ChildFact(stat: "7 (a) S 1 70", pid: 7, ticksPerSecond: 100) == nil)
    }

    private func descriptors(
        _ found: [DescriptorKind: Int], base: [DescriptorKind: Int]? = [.pipe: 4], limit: Int = 1000
    ) -> [String] {
        var doctor = Doctor()
        doctor.compareDescriptors(found, base: base, children: 2, limit: limit)
        return doctor.reply.differences.map { "\($0.subject): \($0.believed); \($0.found)" }
    }

    @Test func judgesDescriptors() {
        #expect(descriptors([.pidfd: 2, .pipe: 6, .socket: 90]) == [])
        #expect(
            descriptors([.pidfd: 3, .pipe: 6]) == ["pidfd: 2: 0 of its own, one for each of 2 processes; 3"])
        #expect(descriptors([.pidfd: 2, .pipe: 9]) == ["pipe: 6: 4 of its own, one for each of 2 processes; 9"])
        #expect(descriptors([.pipe: 6]) == ["pidfd: 2: 0 of its own, one for each of 2 processes; 0"])
        #expect(descriptors([.pidfd: 2, .pipe: 9], base: nil) == [])
        #expect(
            descriptors([.pidfd: 2, .pipe: 6], limit: 9)
                == ["limit: there is room for more components; 8 of 9 are open"])
    }

    @Test func judgesTimersThreadsAndPlaces() {
        var doctor = Doctor()
        doctor.compareTimers([
            .init(subject: "a/x", name: "heartbeat", secondsAgo: 1.9),
            .init(subject: "a/x", name: "waiting", secondsAgo: 2.55),
        ])
        doctor.compareThreads(["corehost", "log-writer"], expected: ["core", "log-writer"])
        doctor.look(
            "lock", "b",
            at: [.init(path: "/p", problem: nil, advice: ""), .init(path: "/q", problem: "gone", advice: "do")])
        doctor.compareLogs(3, lost: 1, failure: nil)
        #expect(
            doctor.reply.differences.map(\.found)
                == ["it is 2.6 s overdue", "there is none of that name", "gone"])
        #expect(doctor.reply.checks.count == 4 && !doctor.reply.ok)
    }

    @Test(arguments: [
        ("anon_inode:[pidfd]", DescriptorKind.pidfd), ("socket:[1]", .socket), ("pipe:[1]", .pipe),
        ("anon_inode:[eventfd]", .event), ("/home/x/supervisor.lock", .file), ("/dev/null", .other),
        ("/tmp/x (deleted)", .file), ("pidfd:[12]", .pidfd),
    ]) func knowsWhatDescriptorsAre(_ target: String, _ kind: DescriptorKind) {
        #expect(DescriptorKind(target: target) == kind)
    }
}
