public import Pipeline
import PipelineComposing

/// The plan of a configuration: everything to build, and nothing built yet.
public struct Plan: Sendable {
    /// The sources in the order of the file.
    public let sources: [SourceConfig]
    /// The pipelines in the order of the file.
    public let pipelines: [PipelinePlan]
    /// How long after expiry a copy of a source may still be served, in the pipeline that serves it longest.
    private let staleTimes: [ExactName: Duration]

    init(sources: [SourceConfig], pipelines: [PipelinePlan]) {
        var staleTimes: [ExactName: Duration] = [:]
        for pipeline in pipelines {
            let time = max(pipeline.policy.staleWhileRevalidate ?? .zero, pipeline.policy.staleIfError ?? .zero)
            for tier in pipeline.tiers {
                staleTimes[ExactName(tier.source.name)] = max(time, staleTimes[ExactName(tier.source.name)] ?? .zero)
            }
        }
        self.init(sources: sources, pipelines: pipelines, staleTimes: staleTimes)
    }

    private init(sources: [SourceConfig], pipelines: [PipelinePlan], staleTimes: [ExactName: Duration]) {
        (self.sources, self.pipelines, self.staleTimes) = (sources, pipelines, staleTimes)
    }

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
            for name in next.usedPipelines where names.insert(name).inserted {
                if let pipeline = known[name] { open.append(pipeline) }
            }
        }
        let given = Set(pipelines.map { ExactName($0.name) })
        return self.pipelines.filter { names.contains($0.name) && !given.contains(ExactName($0.name)) }
    }

    /// The part of the plan that a call of the pipeline called `name` can come to: that pipeline, those that are made from it, whose copies
    /// a change expires, and what all these are made from or link to. All of the plan if there is no such pipeline.
    ///
    /// - Parameter others: sources that the call asks beside those of the pipelines.
    package func part(for name: String, asking others: [String]) -> Plan {
        guard let called = try? pipeline(name) else { return self }
        var users: [String: [PipelinePlan]] = [:]
        for pipeline in pipelines { for used in pipeline.usedPipelines { users[used, default: []].append(pipeline) } }
        var names: Set = [name]
        var kept = [called]
        var open = [called]
        while let next = open.popLast() {
            let new = (users[next.name] ?? []).filter { names.insert($0.name).inserted }
            kept += new
            open += new
        }
        names.formUnion(made(of: kept).map(\.name))
        let pipelines = pipelines.filter { names.contains($0.name) }
        let asked = Set(pipelines.flatMap { $0.tiers.map(\.source.name) + $0.feeds.map(\.source.name) } + others)
        return Plan(sources: sources.filter { asked.contains($0.name) }, pipelines: pipelines, staleTimes: staleTimes)
    }

    /// How long after expiry a copy of the source called `source` may still be served, in the pipeline that serves it longest.
    func longestStale(of source: String) -> Duration { staleTimes[ExactName(source)] ?? .zero }
}

extension PipelinePlan {
    /// The names of the pipelines that this one is made from or links to.
    fileprivate var usedPipelines: [String] { (combine?.parts.map(\.spec.pipeline) ?? []) + links.map(\.spec.pipeline) }
}
