import Foundation
import Glibc

/// What messages cost: raw bytes from a component's JavaScript to the core's and back, the two threads that run it on a
/// processor each, as the reference's processes are.
enum MessageFigures {
    static let roundTrips = [64, 1024, 1_048_576].map { size in
        Figure(
            id: "round-trip-\(size)", title: "round trip, \(sizeName(size)), p50", unit: .nanoseconds,
            goal: .ratio(atMost: 1.6))
    }
    static let oneWay = [64, 1_048_576].map { size in
        Figure(id: "one-way-\(size)", title: "one way, \(sizeName(size)) messages", unit: .perSecond, goal: .none)
    }

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let references = places.references
        let reference = [
            "round-trip-64": try references.value("round_trip_p50_ns", of: "pipe-echo", "round-trip", "64", "20000"),
            "round-trip-1024": try references.value(
                "round_trip_p50_ns", of: "pipe-echo", "round-trip", "1024", "20000"),
            "round-trip-1048576": try references.value(
                "round_trip_p50_ns", of: "pipe-echo", "round-trip", "1048576", "500"),
            "one-way-64": try references.value("messages_per_s", of: "pipe-echo", "one-way", "64", "400000"),
            "one-way-1048576": try references.value("messages_per_s", of: "pipe-echo", "one-way", "1048576", "1000"),
        ]
        let ours = try Scratch.withSupervisor { scratch in
            try Supervisor(
                scratch, programs: places.programs, apps: places.messageApps,
                resources: places.resources(with: "Resources", in: scratch))
        } _: { supervisor in
            let ready = try supervisor.log.next("component ready")
            guard let component = ready.fields["pid"].flatMap({ pid_t($0) }) else {
                throw BenchError("\"\(ready.text)\" has no pid: \(ready.fields)")
            }
            try pin(supervisor.thread("core"), toProcessor: 0)
            try pin(component, toProcessor: 1)
            return try supervisor.log.benchLines()
        }
        var samples: [String: Sample] = [:]
        for figure in roundTrips + oneWay {
            let name = figure.unit == .nanoseconds ? "\(figure.id)-p50" : figure.id
            guard let value = ours[name] else { throw BenchError("the benchmark component did not say \(name)") }
            samples[figure.id] = Sample(ours: value, reference: reference[figure.id])
        }
        return samples
    }

    /// One thread, not the engine's helpers beside it.
    private static func pin(_ thread: pid_t, toProcessor number: Int) throws {
        guard sysconf(Int32(_SC_NPROCESSORS_ONLN)) >= 2 else { return }
        _ = try runToEnd(URL(filePath: "/usr/bin/taskset"), ["-p", "-c", "\(number)", "\(thread)"])
    }

    private static func sizeName(_ size: Int) -> String {
        switch size {
        case ..<1024: "\(size) B"
        case ..<1_048_576: "\(size / 1024) KiB"
        default: "\(size / 1_048_576) MiB"
        }
    }
}
