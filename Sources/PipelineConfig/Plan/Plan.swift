public import Pipeline
import PipelineComposing
public import PipelineSending

/// The plan of a configuration: everything to build, and nothing built yet.
public struct Plan: Sendable {
    /// The sources in the order of the file.
    public let sources: [SourceConfig]
    /// The pipelines in the order of the file.
    public let pipelines: [PipelinePlan]
    /// The sends in the order of the file.
    public let sends: [SendPlan]
    /// How long after expiry a copy of a source may still be served, in the pipeline that serves it longest.
    private let staleTimes: [ExactName: Duration]

    init(sources: [SourceConfig], pipelines: [PipelinePlan], sends: [SendPlan] = []) {
        var staleTimes: [ExactName: Duration] = [:]
        for pipeline in pipelines {
            let time = max(pipeline.policy.staleWhileRevalidate ?? .zero, pipeline.policy.staleIfError ?? .zero)
            for tier in pipeline.tiers {
                staleTimes[ExactName(tier.source.name)] = max(time, staleTimes[ExactName(tier.source.name)] ?? .zero)
            }
        }
        self.init(sources: sources, pipelines: pipelines, sends: sends, staleTimes: staleTimes)
    }

    private init(sources: [SourceConfig], pipelines: [PipelinePlan], sends: [SendPlan], staleTimes: [ExactName: Duration]) {
        (self.sources, self.pipelines, self.sends, self.staleTimes) = (sources, pipelines, sends, staleTimes)
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
    /// a change expires, what all these are made from or link to, and the sends that change one of them. All of the plan if there is no such
    /// pipeline.
    ///
    /// - Parameter others: sources that the call asks beside those of the pipelines.
    package func part(for name: String, asking others: [String]) -> Plan {
        guard let called = try? pipeline(name) else { return self }
        return part(changing: [called.name], with: [], asking: others)
    }

    /// The part of the plan that a call of the send called `name` can come to: all sends of its outbox, since one may wait for another, the
    /// pipelines that they change, and what ``part(for:asking:)`` has of these. All of the plan if there is no such send.
    package func part(forSend name: String) -> Plan {
        guard let called = sends.first(where: { $0.name.hasSameBytes(as: name) }) else { return self }
        let delivered = sends.filter { $0.outbox === called.outbox }
        return part(changing: delivered.flatMap(\.changedPipelines), with: delivered.map(\.name), asking: [])
    }

    /// - Parameters:
    ///   - changed: the names of pipelines whose values may change. What is made from them changes, too.
    ///   - delivered: the names of sends that may go out.
    private func part(changing changed: [String], with delivered: [String], asking others: [String]) -> Plan {
        let known = Dictionary(pipelines.map { ($0.name, $0) }) { first, _ in first }
        var users: [String: [String]] = [:]
        for pipeline in pipelines { for used in pipeline.usedPipelines { users[used, default: []].append(pipeline.name) } }
        var names = Set(changed)
        var open = Array(names)
        while let next = open.popLast() { open += (users[next] ?? []).filter { names.insert($0).inserted } }
        var changers: [String: [SendPlan]] = [:]
        for send in sends { for pipeline in send.changedPipelines { changers[pipeline, default: []].append(send) } }
        var sent = Set(delivered)
        // What a kept pipeline is made from is kept, and each send that shows in one, with all else that it changes.
        open = Array(names)
        while let next = open.popLast() {
            let new = (changers[next] ?? []).filter { sent.insert($0.name).inserted }
            let used = (known[next]?.usedPipelines ?? []) + new.flatMap(\.changedPipelines)
            open += used.filter { names.insert($0).inserted }
        }
        let pipelines = pipelines.filter { names.contains($0.name) }
        let sends = sends.filter { sent.contains($0.name) }
        let asked = Set(
            pipelines.flatMap { $0.tiers.map(\.source.name) + $0.feeds.map(\.source.name) }
                + sends.flatMap { [$0.target.name, $0.outbox.name] } + others)
        return Plan(
            sources: sources.filter { asked.contains($0.name) }, pipelines: pipelines, sends: sends, staleTimes: staleTimes)
    }

    /// The sends that change the pipeline called `name`.
    func sends(changing name: String) -> [SendPlan] { sends.filter { $0.changedPipelines.contains(name) } }

    /// How long after expiry a copy of the source called `source` may still be served, in the pipeline that serves it longest.
    func longestStale(of source: String) -> Duration { staleTimes[ExactName(source)] ?? .zero }
}

extension PipelinePlan {
    /// The names of the pipelines that this one is made from or links to.
    fileprivate var usedPipelines: [String] { (combine?.parts.map(\.spec.pipeline) ?? []) + links.map(\.spec.pipeline) }
}

/// A kind of write as it will be built.
public struct SendPlan: Sendable {
    private let config: SendConfig
    /// The source that takes the writes.
    public let target: SourceConfig
    /// The outbox that keeps them.
    public let outbox: SourceConfig
    /// What a send does to values, in order, with what it takes from the feeds of the pipelines.
    public let changes: [SendChange]
    /// The place where the pipeline of each change is named.
    package let placesOfChanges: [TextRange]

    init(_ config: SendConfig, to target: SourceConfig, outbox: SourceConfig, changes: [(change: SendChange, range: TextRange)]) {
        (self.config, self.target, self.outbox) = (config, target, outbox)
        (self.changes, placesOfChanges) = (changes.map(\.change), changes.map(\.range))
    }

    /// The name of the send.
    public var name: String { config.name }
    /// The purpose of the send.
    public var description: String? { config.fields.description }
    /// The parameters, in the order of the file.
    public var parameters: [ParameterConfig] { config.fields.parameters.parameters }
    /// The places where the file says so.
    public var places: PolicyPlaces { PolicyPlaces(range: config.place.range, fields: config.fieldPlaces) }
    /// The names of the pipelines that it changes, each once.
    package var changedPipelines: Set<String> { Set(changes.map(\.pipeline)) }

    /// The send over these sources; nil if one that it needs is not among them.
    package func spec(of sources: [ExactName: SourceSpec]) -> SendSpec? {
        guard let target = sources[ExactName(target.name)], let outbox = sources[ExactName(outbox.name)] else { return nil }
        let fields = config.fields
        var spec = SendSpec(name, parameters: parameters.map(\.spec), to: target, outbox: outbox)
        (spec.format, spec.changes, spec.answer) = (fields.format, changes, fields.answer)
        (spec.isOrdered, spec.scope, spec.priority) = (fields.isOrdered, fields.scope?.text, fields.priority)
        (spec.debounce, spec.maxDelay, spec.replacesUntried) = (fields.debounce, fields.maxDelay, fields.replacesUntried)
        (spec.retry, spec.expires) = (fields.retry, fields.expires)
        (spec.idHeader, spec.idLifetime) = (idHeader, fields.idLifetime)
        (spec.condition, spec.onConflict) = (fields.condition, fields.onConflict)
        return spec
    }

    /// The field in which ids go out; nil if they do not.
    private var idHeader: IDHeader? {
        if let choice = config.fields.idHeader { choice.header } else { target.sending?.idHeader }
    }
}

extension PolicyPlaces {
    package subscript(ofSend field: SendField) -> TextRange? { self[field.rawValue] }
}
