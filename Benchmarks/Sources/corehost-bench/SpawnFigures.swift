/// What one spawn costs the plane that does it while much memory is resident: the supervisor's own spawn function beside
/// a bare `posix_spawn`, both in a C program.
enum SpawnFigures {
    static let blocked = Figure(
        id: "spawn-blocks", title: "spawn blocks its caller, 1 GiB resident, p50", unit: .nanoseconds,
        goal: .value(atMost: 0.5e6))
    static let all = [blocked]

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let values = try places.references.values(of: "spawn-cost", ["1024", "100"])
        guard let ours = values["ours_p50_ns"] else { throw BenchError("spawn-cost printed no ours_p50_ns") }
        return [blocked.id: Sample(ours: ours, reference: values["posix_spawn_p50_ns"])]
    }
}
