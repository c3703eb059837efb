import Synchronization

/// A source of random numbers: the system, or a seed that gives the same numbers in every process.
///
/// It decides how much a jitter takes off a ttl, and which entries share a part of a memory cache. With a seed a run can be repeated; tasks
/// that draw at the same time get their numbers in the order in which they come.
public struct RandomGenerator: RandomNumberGenerator, Sendable {
    private let drawing: @Sendable () -> UInt64

    /// The system's random numbers, which are unpredictable.
    public static let system = RandomGenerator { .random(in: .min ... .max) }

    /// The numbers that follow from `seed`. All copies of the value draw from the same row of numbers. Not for a process that takes keys from
    /// strangers: a stranger with the seed can choose keys that slow a memory cache down.
    public static func seeded(_ seed: UInt64) -> RandomGenerator {
        let state = SeededState(seed)
        return RandomGenerator { state.next() }
    }

    /// The numbers that `drawing` gives.
    package init(_ drawing: @escaping @Sendable () -> UInt64) {
        self.drawing = drawing
    }

    /// The next number.
    public func next() -> UInt64 { drawing() }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
private final class SeededState: Sendable {
    private let state: Mutex<UInt64>

    init(_ seed: UInt64) { state = Mutex(seed) }

    func next() -> UInt64 {
        let mixed = state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return state
        }
        return mixed.scrambled
    }
}

extension UInt64 {
    /// A number of which every bit depends on every bit of this one; different ones stay different.
    @inline(__always)
    package var scrambled: UInt64 {
        var mixed = self
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
