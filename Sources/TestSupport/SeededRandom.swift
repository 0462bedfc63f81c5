internal import Glibc

/// SplitMix64: the same numbers for the same seed on every machine, so that a printed seed replays a failure.
public struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// A new seed, printed for a replay; or the one in `COREHOST_SEED`, which is the replay.
    public static func seed(for test: String) -> UInt64 {
        let given = getenv("COREHOST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? UInt64.random(in: 0 ... .max)
        print("\(test): COREHOST_SEED=\(seed)")
        return seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
