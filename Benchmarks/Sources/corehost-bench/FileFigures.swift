import Foundation

/// What calls of `platform.device_fs` cost in the core's context, beside the same work in C on the same file system.
enum FileFigures {
    private static let stats = [("stat-known", "asked before"), ("stat-new", "new")].map { id, name in
        Figure(
            id: id, title: "stat of a missing file, its name \(name), p50", unit: .nanoseconds,
            goal: .ratio(atMost: 2.5))
    }
    private static let contents = [
        ("read", "read a file of 1 MiB"), ("write", "write a file of 1 MiB"),
        ("read-open", "read 1 MiB of an open file"), ("write-open", "write 1 MiB of an open file"),
    ].map { id, title in
        Figure(id: id, title: "\(title), p50", unit: .nanoseconds, goal: .ratio(atMost: 1.5))
    }
    static let all = stats + contents

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let scratch = try Scratch()
        let folder = scratch.folder.path
        let reference = places.references
        let stats = try reference.values(of: "file-calls", [folder, "stat", "10000"])
        let reads = try reference.values(of: "file-calls", [folder, "read", "500"])
        let writes = try reference.values(of: "file-calls", [folder, "write", "200"])
        try scratch.remove()
        let references = [
            "stat-known": stats["stat_known_p50_ns"], "stat-new": stats["stat_new_p50_ns"],
            "read": reads["read_p50_ns"], "write": writes["write_p50_ns"], "read-open": reads["read_open_p50_ns"],
            "write-open": writes["write_open_p50_ns"],
        ]
        let ours = try Supervisor.benchLines(places, resources: "FileResources")
        return try samples(of: all, ours, references: references.compactMapValues { $0 })
    }
}
