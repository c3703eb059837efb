internal import Pipeline
internal import PipelineConfig

/// One feed of a drawing: a dashed box below the tiers, with dashed lines to those that its messages concern.
package struct GraphFeed: Hashable {
    var source: String
    /// The word after `type:`; nil for a plugin that is not known.
    var type: String?
    /// Whether its messages are merged into copies; else each only reloads the value.
    var isMerging: Bool
    /// The sources of the tiers that its messages concern: the caches that are changed, or the origins that are asked again.
    var targets: [String]
    var policies: [GraphPolicy]
    var problems: [GraphProblem] = []
    /// The fields of its source; only shown where a change changes them.
    var fields: [GraphPolicy] = []
    /// What a change does to it.
    var change: GraphChange?

    init(_ feed: FeedPlan, of pipeline: PipelinePlan, problems: [GraphProblem]) {
        let isMerging = feed.feed.merging != nil
        let written = Set(pipeline.tiers.flatMap(\.writesBackTo))
        let targets = pipeline.tiers.filter { isMerging ? written.contains($0.source.name) : $0.policy.reads && !$0.isCache }
        self.init(
            source: feed.source.name, type: feed.source.type, isMerging: isMerging, targets: targets.map(\.source.name),
            policies: GraphPolicy.of(feed.feed))
        self.problems = problems
    }

    init(source: String, type: String?, isMerging: Bool, targets: [String], policies: [GraphPolicy] = []) {
        self.source = source
        self.type = type
        self.isMerging = isMerging
        self.targets = targets
        self.policies = policies
    }

    static let kind = "change source"

    /// `events (websocket)`, or the name alone where it is that of its type.
    var title: String {
        guard let type, type != source else { return source }
        return "\(source) (\(type))"
    }

    /// What its messages do to a tier.
    var label: String { isMerging ? "changes" : "load again" }

    /// The same as a sentence.
    var effect: String {
        guard !targets.isEmpty else { return isMerging ? "no cache takes its changes" : "its messages load the value again" }
        let names = targets.joined(separator: ", ")
        return isMerging ? "its changes are merged into \(names)" : "its messages load the value again, from \(names)"
    }
}

extension GraphPipeline {
    /// The lines from the feeds to the tiers that their messages concern, by their indexes.
    var feedLines: [(feed: Int, to: Int)] {
        feeds.indices.flatMap { number in
            feeds[number].targets.compactMap { target in
                tiers.firstIndex { $0.source.utf8.elementsEqual(target.utf8) }.map { (feed: number, to: $0) }
            }
        }
    }
}
