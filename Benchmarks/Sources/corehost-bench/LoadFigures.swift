/// How long a call of the core waits at most while 1 GiB is copied and four scrypt derivations run at any time.
enum LoadFigures {
    static let all = [
        Figure(
            id: "load-p99", title: "wait for the core while 4 scrypt and a copy of 1 GiB run, p99",
            unit: .nanoseconds, goal: .value(atMost: 50e6)),
        Figure(id: "load-longest", title: "the same, longest", unit: .nanoseconds, goal: .value(atMost: 50e6)),
    ]

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let ours = try Supervisor.benchLines(places, resources: "LoadResources")
        return try samples(of: all, ours, references: [:])
    }
}
