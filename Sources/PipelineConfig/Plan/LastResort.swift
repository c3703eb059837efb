/// Finds the tiers that are asked last: those that say so, and those that always answer below another origin.
struct LastResort {
    private var hasOrigin = false

    /// Whether the next tier of the list, from the top down, is one.
    mutating func takes(_ source: SourceConfig, _ policy: TierPolicy) -> Bool {
        guard source.isWritable == false else { return false }
        defer { if policy.reads { hasOrigin = true } }
        return policy.lastResort ?? (hasOrigin && source.capabilities?.contains(.alwaysAnswers) == true)
    }
}
