#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// What a person can set for a run, in the environment.
package enum Setting {
    /// `MODEL_SEED`: plays this one alone.
    package static var seed: UInt64? { number("MODEL_SEED") }
    /// `MODEL_STEPS`: how many steps are played.
    package static var steps: Int? { number("MODEL_STEPS").map(Int.init) }
    /// `MODEL_MINUTES`: plays new seeds for so long.
    package static var minutes: Int? { number("MODEL_MINUTES").map(Int.init) }

    private static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
