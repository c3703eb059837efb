/// A drawing in words, for those who do not see it.
enum GraphDescription {
    /// A longer description is cut.
    private static let mostPipelines = 50

    static func words(_ model: GraphModel) -> String {
        let sentences = model.pipelines.prefix(mostPipelines).map(words)
        let rest = model.pipelines.count - sentences.count
        return (sentences + (rest > 0 ? ["And \(rest) more."] : []) + model.problems.map { "\($0.words)." }).joined(separator: " ")
    }

    static func words(_ pipeline: GraphPipeline) -> String {
        let asked = pipeline.tiers.filter { $0.change != .removed }
        var text =
            "\(pipeline.change.map { "\($0.rawValue): " } ?? "")\(pipeline.name) asks \(asked.map(\.title).joined(separator: ", then "))."
        for index in pipeline.tiers.indices {
            let targets = pipeline.writeBacks.filter { $0.from == index && $0.change != .removed }.map { edge in
                ([pipeline.tiers[edge.to].source] + [edge.words.joined(separator: ", ")].filter { !$0.isEmpty }.map { "(\($0))" })
                    .joined(separator: " ")
            }
            if !targets.isEmpty {
                text += " What \(pipeline.tiers[index].source) answers is written to \(targets.joined(separator: " and "))."
            }
        }
        if !kept(pipeline.parts).isEmpty {
            text += " It is made from parts: \(kept(pipeline.parts).map(\.sentence).joined(separator: "; "))."
        }
        for link in kept(pipeline.links) { text += " The link \(link.sentence)." }
        for feed in pipeline.feeds where feed.change != .removed { text += " Changes come from \(feed.title): \(feed.effect)." }
        return text
    }

    /// All but those that a change removes.
    private static func kept(_ parts: [GraphPart]) -> [GraphPart] { parts.filter { $0.change != .removed } }

    static func words(_ feed: GraphFeed) -> String {
        let parts = ["\(feed.title), \(GraphFeed.kind)"] + [feed.change?.rawValue].compactMap(\.self) + [feed.effect]
        return (parts + feed.policies.map(\.words) + feed.problems.map(\.words)).joined(separator: "; ")
    }

    static func words(_ tier: GraphTier, number: String) -> String {
        var parts = ["\(number). \(tier.title), \(tier.kind)"] + tier.policies.map(\.words) + tier.problems.map(\.words)
        if let change = tier.change { parts.insert(change.rawValue, at: 1) }
        if let index = tier.formerIndex { parts.append("was asked as number \(index + 1)") }
        return parts.joined(separator: "; ")
    }
}
