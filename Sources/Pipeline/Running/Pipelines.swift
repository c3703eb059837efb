/// Pipelines with the sources they share.
public final class Pipelines: Sendable {
    /// What they were made from.
    public let specs: [PipelineSpec]
    private let pipelines: [String: DataPipeline]
    private let sources: SourceSet
    /// Masks what is secret in texts about what happens here.
    package let redactor: Redactor

    /// Makes the pipelines of `specs`. Nothing is opened before it is used.
    ///
    /// Throws ``UsageError`` when two pipelines or two different sources have one name, or a pipeline names what it does not have.
    ///
    /// - Parameters:
    ///   - otherSources: sources that no pipeline asks, but another order may.
    ///   - random: what jitter draws from. One with a seed makes a run repeatable.
    ///   - redactor: masks what is secret in traces, events and reports.
    ///   - observers: receive events, in this order. Without any, no event is made.
    public init(
        _ specs: [PipelineSpec], otherSources: [SourceSpec] = [], clock: PipelineClock = .system, random: RandomGenerator = .system,
        redactor: Redactor = Redactor(), observers: [PipelineEvent.Observer] = []
    ) throws(UsageError) {
        let sources = try SourceSet(of: specs, and: otherSources, clock: clock, random: random, redactor: redactor, observers: observers)
        var pipelines: [String: DataPipeline] = [:]
        for spec in specs {
            guard pipelines[spec.name] == nil else { throw .repeatedPipeline(spec.name) }
            pipelines[spec.name] = DataPipeline(spec, of: sources, sources.invalidation(of: spec.name))
        }
        self.specs = specs
        self.pipelines = pipelines
        self.sources = sources
        self.redactor = redactor
    }

    /// The pipeline called `name`.
    public func pipeline(named name: String) throws(UsageError) -> DataPipeline {
        guard let pipeline = pipelines[name] else { throw .unknownPipeline(name, known: specs.map(\.name)) }
        return pipeline
    }

    /// The pipeline called `name`, asking these sources in this order instead. Sources and copies are shared with the original: what is
    /// removed from one is removed from both, also from caches that only one of them has.
    ///
    /// Make it once where you fetch from it often: two pipelines made alike do not share loads.
    public func pipeline(named name: String, asking order: [String]) throws(UsageError) -> DataPipeline {
        let pipeline = try pipeline(named: name)
        return DataPipeline(try pipeline.spec.asking(order, of: sources.all), of: sources, pipeline.invalidation)
    }

    /// All of them, in the order of ``specs``.
    package var all: [DataPipeline] { specs.compactMap { pipelines[$0.name] } }

    /// Subscribes now to the messages of other processes, where a source publishes any; otherwise the first fetch does. Waits for nothing.
    public func startListening() {
        sources.startListening()
    }

    /// Writes what waits to be written, and returns when that is done, at the latest after `limit`.
    ///
    /// - Returns: the keys that are not written, by source.
    @discardableResult
    public func flush(within limit: Duration? = nil) async -> [(source: String, keys: [Key])] {
        await sources.flush(within: limit)
    }

    /// Ends everything. Waiting fetches and later calls get ``ShutDownError``. Loads and refreshes are cancelled, and what they find is no
    /// longer written. What waits to be written is written within `limit`. Leases are released, so that another process can load at once what
    /// this one was loading. Sources are closed.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [(source: String, keys: [Key])] {
        await sources.shutDown(within: limit)
    }
}
