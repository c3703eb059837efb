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

    /// Several drawings on one page must not take each other's names (FNV-1a).
    private static func fingerprint(_ text: String) -> String {
        String(text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }, radix: 36)
    }
}
