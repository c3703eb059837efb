/// Finds the tiers that are asked last: those that say so, and those that always answer below another origin.
package struct LastResort {
    private var hasOrigin = false

    package init() {}

    /// Indicates whether the next tier of the list, from the top down, is a last resort.
    package mutating func takes(_ policy: TierPolicy, isOrigin: Bool, alwaysAnswers: Bool) -> Bool {
        guard isOrigin else { return false }
        defer { if policy.reads { hasOrigin = true } }
        return policy.lastResort ?? (hasOrigin && alwaysAnswers)
    }
}
