package import PipelineConfig

/// Why a test failed: the first expectation that was not met. Texts are masked.
package struct ScenarioFailure: Sendable, Hashable {
    /// The step, from 1, and its word.
    package let step: Int
    package let word: String
    /// Since the beginning.
    package let time: Duration
    /// What was expected of: `stale`, `api calls`; empty where the step itself failed.
    package let field: String
    /// Where the expected value is written; the step where nothing was expected.
    package let range: TextRange
    package let expected: String?
    package let actual: String?
    /// The whole sentence: `stale is true, expected false`.
    package let message: String
}
