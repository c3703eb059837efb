internal import PipelineJSON

/// The pipelines that the names of parts stood for, and how memory is asked for their values.
final class NamedParts: Sendable {
    /// How memory is asked for a part. The pipeline itself is referred to weakly elsewhere, which makes each use of it dear.
    struct Hit: Sendable {
        let path: HitPath
        /// The key, where the pipeline has no parameters.
        let key: Key?
        /// Whether the whole has the payload as it is.
        let isPlain: Bool
    }

    /// What memory had of a part.
    struct Copy: Sendable {
        let key: Key
        let entry: Entry
    }

    /// The ``PipelineDirectory/version`` when that was so.
    let version: Int
    /// In the order of the parts; nil for one that is gone.
    let pipelines: [DataPipeline?]
    /// The same where memory can have all of their values at hand; none where it cannot.
    let hits: [Hit]

    init(_ parts: [Composite.Part], in directory: PipelineDirectory) {
        version = directory.version
        pipelines = parts.map { directory[$0.spec.pipeline] }
        let hits = zip(parts, pipelines).compactMap { part, pipeline -> Hit? in
            guard let pipeline, let path = pipeline.hitPath else { return nil }
            let spec = pipeline.spec
            return Hit(
                path: path, key: spec.parameters.isEmpty ? try? pipeline.key() : nil,
                isPlain: spec.policy.format == .json && part.spec.select.tokens.isEmpty)
        }
        self.hits = hits.count == parts.count ? hits : []
    }
}
