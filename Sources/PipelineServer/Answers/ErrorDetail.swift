/// How much `serve` tells its clients of a load that failed.
package enum ErrorDetail: String, CaseIterable, Sendable {
    /// Every tier with what it did, secrets masked.
    case full
    /// That it failed, and for which pipeline. What the tiers did stays in the log, and no other pipeline is named.
    case brief
}
