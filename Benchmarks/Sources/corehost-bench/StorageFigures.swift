import Foundation

/// What storage costs a component, through the core to the encrypted file, beside the file and sync calls alone in C.
enum StorageFigures {
    static let all = [
        Figure(
            id: "store", title: "component writes 4 KiB to a file, synced, p50", unit: .nanoseconds,
            goal: .ratio(atMost: 2)),
        Figure(
            id: "store-new", title: "component writes 4 KiB to a new file, synced, p50", unit: .nanoseconds,
            goal: .ratio(atMost: 2)),
        Figure(
            id: "load", title: "component reads a file of 1 MiB, p50", unit: .nanoseconds, goal: .ratio(atMost: 3)),
    ]

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let scratch = try Scratch()
        let folder = scratch.folder.path
        let stores = try places.references.values(of: "file-calls", [folder, "store", "200"])
        let reads = try places.references.values(of: "file-calls", [folder, "read", "500"])
        try scratch.remove()
        let references = [
            "store": stores["store_p50_ns"], "store-new": stores["store_p50_ns"], "load": reads["read_p50_ns"],
        ]
        let ours = try Scratch.withSupervisor { scratch in
            try Supervisor(
                scratch, programs: places.programs, apps: places.storageApps, resources: places.resources)
        } _: { supervisor in
            try supervisor.log.benchLines()
        }
        return try Dictionary(
            uniqueKeysWithValues: all.map { figure in
                guard let value = ours[figure.id] else {
                    throw BenchError("the storage benchmark did not say \(figure.id)")
                }
                return (figure.id, Sample(ours: value, reference: references[figure.id] ?? nil))
            })
    }
}
