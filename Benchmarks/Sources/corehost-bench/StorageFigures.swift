import Foundation

/// What storage costs a component, through the core to the encrypted file, beside the file and sync calls alone in C.
enum StorageFigures {
    private static let measured = [
        ("store", "component writes 4 KiB to a file, synced", 2.0),
        ("store-new", "component writes 4 KiB to a new file, synced", 2.0),
        ("load", "component reads a file of 1 MiB", 3.0),
    ]
    /// Once the engine has compiled what runs, and the first calls of a component's life.
    static let all =
        measured.map { id, title, most in
            Figure(id: id, title: "\(title), p50", unit: .nanoseconds, goal: .ratio(atMost: most))
        }
        + measured.map { id, title, _ in
            Figure(id: "\(id)-cold", title: "\(title), first 50, p50", unit: .nanoseconds, goal: .none)
        }

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let before = try references(places)
        let ours = try Scratch.withSupervisor { scratch in
            try Supervisor(
                scratch, programs: places.programs, apps: places.storageApps, resources: places.resources)
        } _: { supervisor in
            try supervisor.log.benchLines()
        }
        let after = try references(places)
        let references = before.merging(after) { ($0 + $1) / 2 }
        return try samples(
            of: all, ours,
            references: Dictionary(
                uniqueKeysWithValues: all.compactMap { figure in
                    references[reference(of: figure.id)].map { (figure.id, $0) }
                }))
    }

    private static func reference(of figure: String) -> String {
        if figure.starts(with: "load") { return "read_p50_ns" }
        return figure.starts(with: "store-new") ? "store_new_p50_ns" : "store_p50_ns"
    }

    /// Taken before and after: how fast a disk syncs changes within seconds.
    private static func references(_ places: Places) throws -> [String: Double] {
        let scratch = try Scratch()
        let folder = scratch.folder.path
        let stores = try places.references.values(of: "file-calls", [folder, "store", "300"])
        let reads = try places.references.values(of: "file-calls", [folder, "read", "500"])
        try scratch.remove()
        return stores.merging(reads) { store, _ in store }
    }
}
