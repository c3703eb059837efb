internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive

/// One feed of a drawing: a dashed box below the tiers, with dashed lines to those that its messages concern.
package struct GraphFeed: Hashable {
    var source: String
    /// The word after `type:`; nil for a plugin that is not known.
    var type: String?
    /// Indicates whether its messages are merged into copies; else each only reloads the value.
    var isMerging: Bool
    /// The sources of the tiers that its messages concern: the caches that are changed, or the origins that are asked again.
    var targets: [String]
    var policies: [GraphPolicy]
    var problems: [GraphProblem] = []
    /// The fields of its source; only shown where a change changes them.
    var fields: [GraphPolicy] = []
    /// The effect of a change on the feed.
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

    /// The title `events (websocket)`, or the name alone if it is the name of its type.
    var title: String {
        guard let type, type != source else { return source }
        return "\(source) (\(type))"
    }

    /// The effect of its messages on a tier.
    var label: String { isMerging ? "changes" : "load again" }

    /// The effect of its messages as a sentence.
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

extension GraphPolicy {
    /// The fields of a feed that differ from the defaults.
    static func of(_ feed: FeedConfig) -> [GraphPolicy] {
        let merging = feed.merging
        let ids = merging?.id.map(\.description) ?? []
        let addressing = feed.addressing.map { "\($0.key) = \($0.value)" }.sorted()
        let values: [(String, String?)] = [
            ("id", ids.isEmpty ? nil : ids.joined(separator: " + ")),
            ("list", merging.flatMap { $0.list == .whole ? nil : $0.list.description }),
            ("item", merging.flatMap { $0.item == .whole ? nil : $0.item.description }),
            ("op", merging?.operations.map(words)),
            ("version", merging?.version?.description),
            ("insert", merging.flatMap { words($0.insertion) }),
            ("for", addressing.isEmpty ? nil : addressing.joined(separator: ", ")),
            ("sequence", feed.sequence?.description),
            ("resync", feed.resync?.written),
            ("confirms", feed.confirms ? "copies" : nil),
            ("overlap", feed.overlap > .zero ? feed.overlap.written : nil),
        ]
        return values.compactMap { name, value in value.map { GraphPolicy(name, $0) } }
    }

    /// `at /type: added, updated = upsert; removed = delete`
    private static func words(_ operations: MergePolicy.Operations) -> String {
        let parts = [("upsert", operations.upsert), ("delete", operations.delete), ("patch", operations.patch)]
        let words = parts.filter { !$0.1.isEmpty }.map { "\($0.1.joined(separator: ", ")) = \($0.0)" }
        return "at \(operations.place.written ?? ""): \(words.joined(separator: "; "))"
    }

    private static func words(_ insertion: MergePolicy.Insertion) -> String? {
        switch insertion {
        case .refresh: nil
        case .sorted(let pointer, let isDescending): "by \(pointer)\(isDescending ? ", descending" : "")"
        default: insertion.written
        }
    }
}
