internal import PipelineConfig

/// The time limit that a source has itself, whatever its tier says.
package struct SourceLimit: Hashable {
    let limit: Duration
    /// Where it is written; nil for the default of its plugin.
    let range: TextRange?
}
