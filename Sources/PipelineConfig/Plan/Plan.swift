public import Pipeline

/// What a configuration comes to: everything to build, and nothing built yet.
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

    /// The pipelines that `pipelines` are made from or link to, and those that these are, in the order of the file; without `pipelines`
    /// themselves.
    package func made(of pipelines: [PipelinePlan]) -> [PipelinePlan] {
        let known = Dictionary(self.pipelines.map { ($0.name, $0) }) { first, _ in first }
        var names = Set(pipelines.map(\.name))
        var open = pipelines
        while let next = open.popLast() {
            let parts = next.combine?.parts.map(\.spec.pipeline) ?? []
            for name in parts + next.links.map(\.spec.pipeline) where names.insert(name).inserted {
                if let pipeline = known[name] { open.append(pipeline) }
            }
        }
        return self.pipelines.filter { pipeline in
            names.contains(pipeline.name) && !pipelines.contains { $0.name.utf8.elementsEqual(pipeline.name.utf8) }
        }
    }

    /// How long after expiry a copy of the source called `source` may still be served, in the pipeline that serves it longest.
    func longestStale(of source: String) -> Duration {
        pipelines.lazy.filter { $0.tiers.contains { $0.source.name.utf8.elementsEqual(source.utf8) } }
            .map { max($0.policy.staleWhileRevalidate ?? .zero, $0.policy.staleIfError ?? .zero) }.max() ?? .zero
    }
}
