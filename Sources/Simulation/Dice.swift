/// SplitMix64 with the draws that a simulation makes: the same for the same seed on every machine.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// One number for a few, without a dice.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// In 0..<1.
    static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

    /// In 0..<`bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

    /// In 0...`most`, in nanoseconds.
    mutating func time(upTo most: Duration) -> Duration {
        .nanoseconds(Int64(next() % UInt64(most.whole + 1)))
    }

    /// Of any size between the two, the small ones as likely as the large ones.
    mutating func timeOfAnySize(_ least: Duration, _ most: Duration) -> Duration {
        var upper = least
        while upper < most, chance(70) { upper *= 4 }
        return least + time(upTo: min(upper, most) - min(least, most))
    }
}

extension Duration {
    /// In nanoseconds.
    var whole: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
