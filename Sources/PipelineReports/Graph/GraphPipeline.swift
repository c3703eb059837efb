package import Pipeline
package import PipelineConfig

/// One pipeline of a drawing.
package struct GraphPipeline: Hashable {
    package var name: String
    /// `friends(user, page = 1)`.
    var signature: String
    var description: String?
    var parameters: [GraphParameter]
    /// What holds around the tiers.
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
    /// The parts of its composite, in the order of the whole.
    var parts: [GraphPart] = []
    /// The links in its values, in the order of the file.
    var links: [GraphPart] = []
    /// What a change does to the pipeline as a whole.
    var change: GraphChange?

    /// - Parameters:
    ///   - targets: finds the pipelines of parts by their names.
    ///   - compared: the fields that are compared with those of another file.
    ///   - own: the problems of the pipeline.
    ///   - problemsOfTier: those of the tier of a source.
    ///   - problemsOfFeed: those of the feed of a source.
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

    /// How many tiers are asked: all but those that a change removes.
    var askedCount: Int { tiers.count { $0.change != .removed } }

    /// The tiers that are asked one after the other, by their indexes.
    var fallbacks: [(from: Int, to: Int)] {
        askedCount < 2 ? [] : (1..<askedCount).map { (from: $0 - 1, to: $0) }
    }

    /// Whether a change does something within the pipeline.
    var hasChanges: Bool {
        (policies + tiers.flatMap(\.policies)).contains { $0.change != nil } || tiers.contains { $0.change != nil }
            || writeBacks.contains { $0.change != nil } || feeds.contains { $0.change != nil }
            || (parts + links).contains { $0.change != nil }
    }
}
