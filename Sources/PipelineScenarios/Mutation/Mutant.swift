package import PipelineConfig

/// A configuration with one thing changed.
package struct Mutant: Sendable {
    /// The pipeline that is changed.
    package let pipeline: String
    /// Where the file says what is changed.
    package let range: TextRange
    /// What is changed: `` `ttl: 30s` of `memory` is `15s` ``.
    package let summary: String
    /// A test of the pipeline runs when it reaches one of these sources; any does where there are none.
    let sources: [String]
    /// The whole document.
    let root: ConfigNode
}
