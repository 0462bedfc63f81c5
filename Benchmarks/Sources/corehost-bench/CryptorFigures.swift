import Foundation

/// What the cryptor's ports cost in the core's context, beside libsodium called from C.
enum CryptorFigures {
    static let all = [
        Figure(
            id: "scrypt", title: "scrypt, logN 17, r 3, p 1, p50", unit: .nanoseconds, goal: .ratio(atMost: 1.1)),
        Figure(id: "box-at-once", title: "secret box of 16 KiB, p50", unit: .nanoseconds, goal: .none),
        Figure(
            id: "box-on-thread", title: "the same with a byte more, on a thread, p50", unit: .nanoseconds,
            goal: .none),
    ]

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let scrypt = try places.references.value("scrypt_p50_ns", of: "libsodium", "scrypt", "9")
        let box = try places.references.value("box_p50_ns", of: "libsodium", "box", "2000")
        let references = ["scrypt": scrypt, "box-at-once": box, "box-on-thread": box]
        let ours = try Supervisor.benchLines(places, resources: "CryptorResources")
        return try samples(of: all, ours, references: references)
    }
}
