/// An expectation that was looked at, whether it was met or not.
package struct ScenarioCheck: Sendable, Hashable {
    /// The step, from 1.
    package let step: Int
    /// What was expected of: `stale`, `tiers`, `api calls`.
    package let field: String
    /// The source, for an expectation of one.
    package let source: String?
    package let isMet: Bool
}
