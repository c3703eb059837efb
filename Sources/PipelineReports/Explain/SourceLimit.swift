internal import Pipeline

/// The time limit that a source has itself, whatever its tier says.
struct SourceLimit: Hashable {
    let limit: Duration
    /// Where it is written; nil for the default of its plugin.
    let range: TextRange?
}
