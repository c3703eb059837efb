/// Pipelines as one SVG that stands for itself: no script, no font, no other file; light and dark; read aloud by its title and description.
package struct GraphSVG {
    private let model: GraphModel
    private let layout: GraphLayout

    package static func draw(_ model: GraphModel) -> String {
        GraphSVG(model: model, layout: GraphLayout(model)).text
    }

    private var text: String {
        let (width, height) = (SVGText.number(layout.width), SVGText.number(layout.height))
        let body = layout.cards.flatMap { placed in
            ["<g transform=\"translate(\(SVGText.number(placed.frame.x)) \(SVGText.number(placed.frame.y)))\">"]
                + GraphCardSVG(card: placed.card).elements + ["</g>"]
        }
        let title = SVGText.escaped(self.title)
        let description = SVGText.escaped(GraphDescription.words(model))
        let content = (body + notes).joined(separator: "\n")
        let id = "pipelines-" + Self.fingerprint(title + description + content)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" id="\(id)" viewBox="0 0 \(width) \(height)" width="100%" role="img" \
            aria-labelledby="\(id)-title \(id)-desc" style="max-width:\(SVGText.number(layout.width / 12))rem" \
            font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif">
            <title id="\(id)-title">\(title)</title>
            <desc id="\(id)-desc">\(description)</desc>
            <style>
            \(SVGStyle.sheet(id: id))
            </style>
            <rect width="\(width)" height="\(height)" rx="14" \(SVGStyle.page.fill)/>
            \(content)
            </svg>

            """
    }

    private var title: String {
        let names = model.pipelines.map(\.name)
        return (names.count == 1 ? "The pipeline " : "\(names.count) pipelines: ") + names.prefix(20).joined(separator: ", ")
            + (names.count > 20 ? ", …" : "")
    }

    private var notes: [String] {
        let samples = layout.legend.map { sample in
            let (x, y) = (SVGText.number(sample.x), SVGText.number(sample.y))
            let end = SVGText.number(sample.x + GraphLayout.sample)
            return "<path d=\"M\(x) \(y)H\(end)\" stroke-width=\"1.6\"\(sample.pattern.attribute) \(sample.colour.stroke)/>"
        }
        return samples + layout.notes.map(GraphCardSVG.element)
    }

    /// A short name for a drawing (FNV-1a): several drawings on one page must not take each other's names.
    private static func fingerprint(_ text: String) -> String {
        String(text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }, radix: 36)
    }
}

/// A drawing in words, for those who do not see it.
enum GraphDescription {
    /// The number of pipelines in a description; a longer one is cut.
    private static let mostPipelines = 50

    static func words(_ model: GraphModel) -> String {
        let sentences = model.pipelines.prefix(mostPipelines).map(words)
        let rest = model.pipelines.count - sentences.count
        let sends = model.sends.map { "The send \($0.sentence)." }
        return (sentences + (rest > 0 ? ["And \(rest) more."] : []) + sends + model.problems.map { "\($0.words)." })
            .joined(separator: " ")
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

    /// The parts but for those that a change removes.
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
