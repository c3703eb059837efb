package import Pipeline
package import PipelineConfig

/// One pipeline of a drawing.
package struct GraphPipeline: Hashable {
    package var name: String
    /// `friends(user, page = 1)`.
    var signature: String
    var description: String?
    var parameters: [GraphParameter]
    /// The policies that hold around the tiers.
    var policies: [GraphPolicy]
    /// Further fields; only shown where a change changes them.
    var fields: [GraphPolicy] = []
    var problems: [GraphProblem] = []
    /// The tiers in the order of asking; those that a change removes come last.
    var tiers: [GraphTier]
    /// The write-backs; each tier falls back to the next.
    var writeBacks: [GraphWriteBack]
    /// The feeds, in the order of the file; those that a change removes come last.
    var feeds: [GraphFeed] = []
    /// The parts of its composite, in the composite's order.
    var parts: [GraphPart] = []
    /// The links in its values, in the order of the file.
    var links: [GraphPart] = []
    /// The effect of a change on the pipeline itself.
    var change: GraphChange?

    /// - Parameters:
    ///   - targets: finds the pipelines of parts by their names.
    ///   - compared: the fields that are compared with those of another file.
    ///   - own: the problems of the pipeline.
    ///   - problemsOfTier: the problems of the tier of a source.
    ///   - problemsOfFeed: the problems of the feed of a source.
    package init(
        _ plan: PipelinePlan, redactor: Redactor = Redactor(), targets: (String) -> PipelinePlan? = { _ in nil },
        compared: ComparedFields = ComparedFields(),
        problems own: [GraphProblem] = [],
        problemsOfTier: (String) -> [GraphProblem] = { _ in [] }, problemsOfFeed: (String) -> [GraphProblem] = { _ in [] }
    ) {
        name = plan.name
        signature = plan.signature(redactor)
        description = plan.description.map(redactor.redacted)
        parameters = plan.parameters.map { GraphParameter(name: $0.name, defaultValue: $0.defaultValue.map(redactor.redacted)) }
        policies = GraphPolicy.of(plan.policy)
        fields = compared.pipelines[plan.name] ?? []
        problems = own
        tiers = plan.tiers.map { [pipeline = plan.name] plan in
            var tier = GraphTier(plan, problems: problemsOfTier(plan.source.name))
            tier.fields = (compared.tiers[pipeline]?[plan.source.name] ?? []) + (compared.sources[plan.source.name] ?? [])
            return tier
        }
        feeds = plan.feeds.map { [pipeline = plan] plan in
            var feed = GraphFeed(plan, of: pipeline, problems: problemsOfFeed(plan.source.name))
            feed.fields = compared.sources[plan.source.name] ?? []
            return feed
        }
        parts = plan.graphParts(redactor, targets: targets)
        links = plan.links.map { GraphPart($0, redactor: redactor) }
        writeBacks = plan.tiers.enumerated().flatMap { from, tier in
            tier.writesBackTo.compactMap { target in
                plan.tiers.firstIndex { $0.source.name.utf8.elementsEqual(target.utf8) }.map { to in
                    GraphWriteBack(from: from, to: to, policy: plan.tiers[to].policy)
                }
            }
        }
    }

    init(
        name: String, signature: String, description: String? = nil, parameters: [GraphParameter] = [], policies: [GraphPolicy] = [],
        tiers: [GraphTier], writeBacks: [GraphWriteBack] = [], feeds: [GraphFeed] = []
    ) {
        self.name = name
        self.signature = signature
        self.description = description
        self.parameters = parameters
        self.policies = policies
        self.tiers = tiers
        self.writeBacks = writeBacks
        self.feeds = feeds
    }

    /// The number of tiers that are asked: all but those that a change removes.
    var askedCount: Int { tiers.count { $0.change != .removed } }

    /// The tiers that are asked one after the other, by their indexes.
    var fallbacks: [(from: Int, to: Int)] {
        askedCount < 2 ? [] : (1..<askedCount).map { (from: $0 - 1, to: $0) }
    }

    /// Indicates whether a change does something within the pipeline.
    var hasChanges: Bool {
        (policies + tiers.flatMap(\.policies)).contains { $0.change != nil } || tiers.contains { $0.change != nil }
            || writeBacks.contains { $0.change != nil } || feeds.contains { $0.change != nil }
            || (parts + links).contains { $0.change != nil }
    }
}

/// A parameter of a pipeline.
package struct GraphParameter: Hashable {
    let name: String
    let defaultValue: String?
}

/// One tier of a drawing.
package struct GraphTier: Hashable {
    var source: String
    /// The word after `type:`; nil for a plugin that is not known.
    var type: String?
    /// Indicates whether it is a cache; else an origin.
    var isCache: Bool
    var policies: [GraphPolicy]
    var problems: [GraphProblem] = []
    /// The further fields of the tier, and those of its source; only shown where a change changes them.
    var fields: [GraphPolicy] = []
    /// The effect of a change on the tier.
    var change: GraphChange?
    /// The place of the tier before a change moved it, counted from 0.
    var formerIndex: Int?
    /// The title before a change made it something else: `disk (file)`.
    var formerTitle: String?

    init(_ plan: TierPlan, problems: [GraphProblem]) {
        self.init(
            source: plan.source.name, type: plan.source.type, isCache: plan.source.isWritable == true,
            policies: GraphPolicy.of(plan.policy, isLastResort: plan.isLastResort))
        self.problems = problems
    }

    init(source: String, type: String?, isCache: Bool, policies: [GraphPolicy] = []) {
        self.source = source
        self.type = type
        self.isCache = isCache
        self.policies = policies
    }

    /// The title `disk (file)`, or the name alone if it is the name of its type.
    var title: String {
        guard let type, type != source else { return source }
        return "\(source) (\(type))"
    }

    /// `cache` or `origin`.
    var kind: String { isCache ? "cache" : "origin" }
}

/// The way of the answers of one tier: a dashed edge.
package struct GraphWriteBack: Hashable {
    /// The tier that answers, as an index.
    var from: Int
    /// The cache that is written.
    var to: Int
    /// The time for which the copy stays fresh there.
    var ttl: String?
    /// The quiet time before it is written.
    var debounce: String?
    /// The effect of a change on the edge.
    var change: GraphChange?

    init(from: Int, to: Int, policy: TierPolicy) {
        self.init(from: from, to: to, ttl: policy.ttl?.written, debounce: policy.debounce?.written)
    }

    init(from: Int, to: Int, ttl: String? = nil, debounce: String? = nil) {
        self.from = from
        self.to = to
        self.ttl = ttl
        self.debounce = debounce
    }

    /// `ttl 30s`, `debounce 2s`.
    var words: [String] {
        [ttl.map { "ttl \($0)" }, debounce.map { "debounce \($0)" }].compactMap { $0 }
    }

    /// `write-back, ttl 30s, debounce 2s`.
    var label: String { (["write-back"] + words).joined(separator: ", ") }
}
