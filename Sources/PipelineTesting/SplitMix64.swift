/// Sebastiano Vigna's SplitMix64: small, fast, and the same numbers everywhere (Steele and others, OOPSLA 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True in `percent` of 100 cases.
    package mutating func chance(_ percent: Int) -> Bool {
        below(100) < percent
    }

    /// A number from 0 up to `limit`, which is positive.
    package mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(limit))
    }

    /// One of `choices`, of which there is at least one.
    package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[below(choices.count)]
    }
}
