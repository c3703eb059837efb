public import Pipeline
import PipelineComposing
import PipelineLive

extension Comparison {
    /// One of the pipelines that are compared.
    public struct Subject: Sendable {
        /// Holds the pipeline, those that it is made from or links to, and nothing else.
        private let pipelines: Pipelines
        let pipeline: DataPipeline
        private let all: [DataPipeline]
        /// The calls of its origins.
        let calls: OriginCalls
        let demand: OriginDemand

        /// The pipeline of `spec`, over sources of its own. Its origins are counted, also together with the calls of `common`.
        ///
        /// - Parameters:
        ///   - others: the pipelines that it is made from or links to, over the same sources.
        ///   - standIns: sources that others take the place of: what asks them asks no origin.
        public init(
            _ spec: PipelineSpec, among others: [PipelineSpec] = [], replacing standIns: Set<String> = [], within common: OriginCalls,
            clock: PipelineClock, random: RandomGenerator, redactor: Redactor
        ) throws(UsageError) {
            calls = OriginCalls(within: common)
            // What always answers asks nobody.
            let constant = ([spec] + others).flatMap(\.tiers).filter { $0.source.capabilities.contains(.alwaysAnswers) }
            let free = standIns.union(constant.map(\.name))
            var counted: [String: SourceSpec] = [:]
            let specs = ([spec] + others).map { [calls] spec in
                var spec = spec
                spec.tiers = spec.tiers.map { tier in
                    let source = counted[tier.name] ?? calls.counting(tier.source, isFree: free.contains(tier.name))
                    counted[tier.name] = source
                    return TierSpec(source, tier.policy)
                }
                // Changes that come by themselves would reach one variant while it is measured, and another while it waits.
                spec.live = []
                return spec
            }
            pipelines = try Pipelines(specs, clock: clock, random: random, redactor: redactor)
            var all: [DataPipeline] = []
            for spec in specs { all.append(try pipelines.pipeline(named: spec.name)) }
            self.all = all
            pipeline = try pipelines.pipeline(named: spec.name)
            demand = OriginDemand(of: spec.name, in: specs, besides: free)
        }

        /// The specification that the pipeline was made from.
        public var spec: PipelineSpec { pipeline.spec }

        /// The key of a fetch with these arguments.
        public func key(_ arguments: [String: String]) throws(UsageError) -> Key { try pipeline.key(arguments) }

        /// Removes the copies of all its pipelines from their caches. Gives the names of caches that keep copies.
        @discardableResult
        func clear() async throws(ShutDownError) -> Set<String> {
            var kept: Set<String> = []
            for pipeline in all {
                kept.formUnion(try await pipeline.clear().lines.filter { $0.failure != nil }.map(\.source))
            }
            return kept
        }

        /// Waits until nothing goes on in the background any more.
        func settle() async {
            for pipeline in all { await pipeline.finishRefreshes() }
            await pipelines.flush(within: .seconds(5))
        }

        /// Removes the copies from its caches, when they are its own, and ends it. Gives the names of caches that keep copies.
        public func end(removingCopies: Bool) async -> [String] {
            let kept = removingCopies ? try? await clear() : nil
            _ = await pipelines.shutDown()
            return kept?.sorted() ?? []
        }
    }
}

/// The number of calls of origins that one fetch of a pipeline makes.
struct OriginDemand {
    /// Indicates whether it begins with a call, unless it shares the load of another fetch.
    let begins: Bool
    /// The most calls.
    let most: Int

    /// The most loads of one fetch.
    private static let bound = CompositeSpec.mostLoads

    /// - Parameters:
    ///   - specs: the pipeline, and those that it is made from or links to.
    ///   - free: sources that send nothing to an origin.
    init(of pipeline: String, in specs: [PipelineSpec], besides free: Set<String> = []) {
        var known: [String: OriginDemand] = [:]
        self = Self.demand(of: pipeline, in: specs, besides: free, &known)
    }

    private init(begins: Bool, most: Int) {
        self.begins = begins
        self.most = min(most, Self.bound)
    }

    private static func demand(
        of name: String, in specs: [PipelineSpec], besides free: Set<String>, _ known: inout [String: OriginDemand]
    ) -> OriginDemand {
        if let demand = known[name] { return demand }
        guard let spec = specs.first(where: { $0.name == name }) else { return OriginDemand(begins: false, most: 0) }
        var most = 0
        var begins: Bool?
        for tier in spec.tiers {
            let isAsked = tier.source.isOrigin && !free.contains(tier.name)
            var demand = OriginDemand(begins: isAsked, most: isAsked ? tier.policy.retry?.attempts ?? 1 : 0)
            if let combine = spec.combine, tier.name == CompositeSpec.placeName {
                let parts = combine.partSpecs.map(\.spec)
                let demands = parts.map { Self.demand(of: $0.pipeline, in: specs, besides: free, &known) }
                // A link may lead to any number of values.
                let followed = parts.contains { !$0.follow.isEmpty } ? bound : 0
                demand = OriginDemand(begins: demands.contains(where: \.begins), most: demands.reduce(followed) { $0 + $1.most })
            }
            most = min(bound, most + demand.most)
            if tier.policy.reads, begins == nil { begins = demand.begins }
        }
        let demand = OriginDemand(begins: begins ?? false, most: most)
        known[name] = demand
        return demand
    }
}
