internal import PipelineConfig

/// One tier of a drawing.
package struct GraphTier: Hashable {
    var source: String
    /// The word after `type:`; nil for a plugin that is not known.
    var type: String?
    /// Whether it is a cache; else an origin.
    var isCache: Bool
    var policies: [GraphPolicy]
    var problems: [GraphProblem] = []
    /// Its further fields, and those of its source; only shown where a change changes them.
    var fields: [GraphPolicy] = []
    /// What a change does to it.
    var change: GraphChange?
    /// Its place before a change moved it, counted from 0.
    var formerIndex: Int?
    /// What it was before a change made it something else: `disk (file)`.
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

    /// `disk (file)`, or the name alone where it is that of its type.
    var title: String {
        guard let type, type != source else { return source }
        return "\(source) (\(type))"
    }

    /// `cache` or `origin`.
    var kind: String { isCache ? "cache" : "origin" }
}
