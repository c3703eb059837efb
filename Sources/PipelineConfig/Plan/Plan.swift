public import Pipeline

/// What a configuration comes to: everything that is to be built, and nothing built yet.
public struct Plan: Sendable {
    /// The sources in the order of the file.
    public let sources: [SourceConfig]
    /// The pipelines in the order of the file.
    public let pipelines: [PipelinePlan]

    /// The pipeline called `name`.
    public func pipeline(_ name: String) throws(UsageError) -> PipelinePlan {
        guard let pipeline = pipelines.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw .unknownPipeline(name, known: pipelines.map(\.name))
        }
        return pipeline
    }

    /// For so long after it expired a copy of the source called `source` may still be served, in the pipeline that serves it longest.
    func longestStale(of source: String) -> Duration {
        pipelines.lazy.filter { $0.tiers.contains { $0.source.name.utf8.elementsEqual(source.utf8) } }
            .map { max($0.policy.staleWhileRevalidate ?? .zero, $0.policy.staleIfError ?? .zero) }.max() ?? .zero
    }
}
