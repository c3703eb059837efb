import Synchronization

/// Pipelines with the sources they share.
public final class Pipelines: Sendable {
    /// The specifications that they were made from.
    package let specs: [PipelineSpec]
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
        let pipelines = specs.map { ($0.name, DataPipeline($0, of: sources, sources.invalidation(of: $0.name))) }
        self.specs = specs
        self.pipelines = Dictionary(uniqueKeysWithValues: pipelines)
        self.sources = sources
        self.redactor = redactor
        connect()
        for (_, pipeline) in pipelines { pipeline.followers.succeed(.begin(pipeline)) }
    }

    /// The pipelines that take over from `former`.
    private init(_ specs: [PipelineSpec], after former: Pipelines, keeping kept: [String: DataPipeline]) {
        sources = former.sources
        redactor = former.redactor
        let pipelines = specs.map { [sources] spec in
            let invalidation = { sources.invalidation(of: spec.name, after: former.pipelines[spec.name]?.invalidation) }
            return (spec.name, kept[spec.name] ?? DataPipeline(spec, of: sources, invalidation()))
        }
        self.specs = specs
        self.pipelines = Dictionary(uniqueKeysWithValues: pipelines)
        connect(after: former.specs)
        // Observers follow the name.
        let changed = pipelines.filter { kept[$0.0] == nil }.map(\.1)
        for pipeline in changed { pipeline.followers.succeed(.begin(pipeline)) }
        for (name, pipeline) in former.pipelines where self.pipelines[name] == nil { pipeline.followers.succeed(.end) }
        for pipeline in changed { pipeline.followers.succeed(.refetch) }
    }

    /// Pipelines of `specs` that take over from these. These answer what they have begun, and nothing else may be asked of them.
    ///
    /// Sources that are the same as before live on with their copies, their connections and what waits to be written. The others are flushed
    /// and closed when the fetches that use them have ended, at the latest after 30 s. ``shutDown(within:)`` of any of them ends all of them.
    ///
    /// Throws like ``init(_:otherSources:clock:random:redactor:observers:)``, and then changes nothing.
    ///
    /// - Parameter unchanged: the names of pipelines that are declared as before, with the same sources. They stay the same objects, with their
    ///   flights and observers. Observers of others follow the name, and end where it is gone; what they observe is fetched once.
    package func succeeded(
        by specs: [PipelineSpec], otherSources: [SourceSpec] = [], keeping unchanged: Set<String>
    ) throws(UsageError) -> Pipelines {
        let kept = pipelines.filter { unchanged.contains($0.key) }
        let names = Set(specs.map(\.name))
        let invalidations = pipelines.filter { names.contains($0.key) }.map(\.value.invalidation)
        let leaving = pipelines.filter { kept[$0.key] == nil }.map(\.value)
        try sources.change(to: specs, and: otherSources, keeping: invalidations, leaving: leaving)
        return Pipelines(specs, after: self, keeping: kept)
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
        let other = DataPipeline(try pipeline.spec.asking(order, of: sources.all), of: sources, pipeline.invalidation)
        for kind in specs.kindsOfAdditions { kind.connect([other], among: pipelines) }
        return other
    }

    /// Lets pipelines find those that they need.
    ///
    /// - Parameter former: what the pipelines before were made from.
    private func connect(after former: [PipelineSpec] = []) {
        sources.directory.change(to: pipelines.values)
        for kind in (specs + former).kindsOfAdditions { kind.connect(Array(pipelines.values), among: pipelines) }
    }

    /// What they have in common beside their sources, also with those that take over from them.
    package var commons: Commons { sources.commons }

    /// The pipelines that there are, by name, also after others have taken over.
    package var directory: PipelineDirectory { sources.directory }

    /// All of them, in the order of ``specs``.
    package var all: [DataPipeline] { specs.compactMap { pipelines[$0.name] } }

    /// Subscribes now to the messages of other processes, where a source publishes any; otherwise the first fetch does. Waits for nothing.
    package func startListening() {
        sources.startListening()
    }

    /// Writes what waits to be written, and returns when that is done, at the latest after `limit`.
    ///
    /// - Returns: the keys that are not written, by source.
    @discardableResult
    public func flush(within limit: Duration? = nil) async -> [UnwrittenKeys] {
        await sources.flush(within: limit)
    }

    /// Ends everything. Waiting fetches and later calls get ``ShutDownError``. Loads and refreshes are cancelled, and what they find is no
    /// longer written. What waits to be written is written within `limit`. Leases are released, so that another process can load at once what
    /// this one was loading. Sources are closed.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [UnwrittenKeys] {
        await sources.shutDown(within: limit)
    }
}
