package import PipelineConfig

/// What one run of a test came to. Every output is made from values of this type. Texts are masked.
package struct ScenarioOutcome: Sendable {
    /// The test file as the user named it.
    package let file: String
    /// The configuration as the user named it, where the places of events are.
    package let config: String
    package let name: String
    /// Where the test stands.
    package let range: TextRange
    /// The name of the order that it ran in, or its sources with commas; nil for the pipeline's own.
    package let order: String?
    package let pipeline: String
    package let seed: UInt64
    package let tags: [String]
    package let failure: ScenarioFailure?
    /// What happened, in order.
    package let events: [ScenarioEvent]
    /// Every expectation that was looked at, in order.
    package let checks: [ScenarioCheck]
    /// How long the run took.
    package let elapsed: Duration
    /// How much virtual time passed.
    package let virtual: Duration
    /// Of all that happened: equal for equal runs, in every process.
    package let digest: UInt64

    package var line: Int { range.start.line }
    package var hasPassed: Bool { failure == nil }
    /// `NAME [ORDER]`.
    package var title: String { order.map { "\(name) [\($0)]" } ?? name }
}
