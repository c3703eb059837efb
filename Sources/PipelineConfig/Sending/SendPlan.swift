package import Pipeline
public import PipelineSending

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
