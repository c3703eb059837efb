import Pipeline

extension RandomGenerator {
    /// Always draws the greatest number: the pauses between tries are as long as they may be, which is what the reference reckons with.
    static var greatest: RandomGenerator { RandomGenerator { .max } }
}
