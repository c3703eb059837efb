internal import PipelineConfig

/// Pipelines as a Mermaid flowchart: fallback solid, write-back and feeds dashed.
package enum GraphMermaid {
    package static func draw(_ model: GraphModel) -> String {
        var lines = ["flowchart TD"]
        lines += model.problems.map { "    %% " + escaped($0.words) }
        for (number, pipeline) in model.pipelines.enumerated() { lines += draw(pipeline, number: number) }
        lines += model.farPipelines.enumerated().map { "    x\($0)([\(quoted([$1]))])" }
        lines += model.sends.enumerated().flatMap { number, send in
            ["    s\(number)[/\(quoted(model.lines(in: send)))/]", "    s\(number)o[\(quoted([send.targetTitle]))]"]
        }
        lines += links(model)
        lines += classes(model)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func node(_ number: Int, _ index: Int) -> String { "p\(number)t\(index)" }

    private static func draw(_ pipeline: GraphPipeline, number: Int) -> [String] {
        let title = [pipeline.signature] + pipeline.policies.map(\.words) + pipeline.problems.map { "⚠ " + $0.words }
        let words = title.prefix(1 + pipeline.policies.count).joined(separator: ", ")
        let parts = [[pipeline.change.map { "\($0.mark) " } ?? "", words].joined(), pipeline.description].compactMap { $0 }
        var lines = ["    subgraph p\(number)[\(quoted(parts + title.dropFirst(1 + pipeline.policies.count)))]"]
        for (index, tier) in pipeline.tiers.enumerated() {
            let title = [tier.change.map { "\($0.mark) " } ?? "", tier.formerTitle.map { "\($0) → " } ?? "", tier.title].joined()
            let moved = tier.formerIndex.map { "was asked as number \($0 + 1)" }
            let label = quoted([title] + [moved].compactMap { $0 } + tier.policies.map(\.words) + tier.problems.map { "⚠ " + $0.words })
            // A cache is drawn as a store, an origin as a box.
            lines.append("        \(node(number, index))" + (tier.isCache ? "[(\(label))]" : "[\(label)]"))
        }
        for (index, feed) in pipeline.feeds.enumerated() {
            let title = (feed.change.map { "\($0.mark) " } ?? "") + feed.title
            let label = quoted([title] + feed.policies.map(\.words) + feed.problems.map { "⚠ " + $0.words })
            lines.append("        p\(number)f\(index)([\(label)])")
        }
        return lines + ["    end"]
    }

    /// The lines of the edges, together after the nodes: styles name them by their numbers.
    private static func links(_ model: GraphModel) -> [String] {
        var lines: [String] = []
        var styles: [String] = []
        for (number, pipeline) in model.pipelines.enumerated() {
            lines += pipeline.fallbacks.map { "    \(node(number, $0.from)) -->|no answer| \(node(number, $0.to))" }
            for edge in pipeline.writeBacks {
                let label = quoted([(edge.change.map { "\($0.mark) " } ?? "") + edge.label])
                if let colour = colour(of: edge.change) { styles.append("    linkStyle \(lines.count) stroke:\(colour)") }
                lines.append("    \(node(number, edge.from)) -.->|\(label)| \(node(number, edge.to))")
            }
            for line in pipeline.feedLines {
                let feed = pipeline.feeds[line.feed]
                if let colour = colour(of: feed.change) { styles.append("    linkStyle \(lines.count) stroke:\(colour)") }
                lines.append("    p\(number)f\(line.feed) -.->|\(feed.label)| \(node(number, line.to))")
            }
        }
        let far = model.farPipelines
        for line in model.partLines {
            let target = line.to.map { node($0, 0) } ?? "x\(far.firstIndex(of: line.part.pipeline) ?? 0)"
            let start = node(line.from.pipeline, line.from.tier)
            let style = [
                line.part.isLink ? "stroke-dasharray:1 4" : nil, colour(of: line.part.change).map { "stroke:\($0)" },
            ].compactMap(\.self)
            if !style.isEmpty { styles.append("    linkStyle \(lines.count) \(style.joined(separator: ","))") }
            let arrow = line.part.isLink || line.part.isDispensable ? "-.->" : "-->"
            lines.append("    \(start) \(arrow)|\(quoted(line.part.changedLabel))| \(target)")
        }
        lines += model.sends.enumerated().map { "    s\($0) -->|\(quoted([$1.label]))| s\($0)o" }
        lines += model.sendLines.map { line in
            let target = model.pipelines[line.to].tiers.isEmpty ? "p\(line.to)" : node(line.to, 0)
            return "    s\(line.send) -.->|\(quoted([line.change.operation]))| \(target)"
        }
        return lines + styles
    }

    private static func classes(_ model: GraphModel) -> [String] {
        var members: [String: [String]] = [:]
        for (number, pipeline) in model.pipelines.enumerated() {
            if let change = pipeline.change { members[change.rawValue, default: []].append("p\(number)") }
            for (index, tier) in pipeline.tiers.enumerated() {
                if let change = tier.change { members[change.rawValue, default: []].append(node(number, index)) }
                if tier.change == nil, !tier.problems.isEmpty { members["problem", default: []].append(node(number, index)) }
            }
            for (index, feed) in pipeline.feeds.enumerated() {
                let style = feed.change?.rawValue ?? (feed.problems.isEmpty ? "feed" : "problem")
                members[style, default: []].append("p\(number)f\(index)")
            }
        }
        let styles = [
            ("added", "stroke:#1a7f37,stroke-width:3px"), ("removed", "stroke:#cf222e,stroke-width:3px,stroke-dasharray:5 4"),
            ("moved", "stroke:#9a6700,stroke-width:3px"), ("changed", "stroke:#9a6700,stroke-width:3px"),
            ("feed", "stroke-dasharray:5 4"), ("problem", "stroke:#bf8700,stroke-width:3px"),
        ]
        return styles.flatMap { name, style -> [String] in
            guard let nodes = members[name] else { return [] }
            return ["    classDef \(name) \(style)", "    class \(nodes.joined(separator: ",")) \(name)"]
        }
    }

    private static func colour(of change: GraphChange?) -> String? {
        switch change {
        case .added: "#1a7f37"
        case .removed: "#cf222e"
        case .moved, .changed: "#9a6700"
        case nil: nil
        }
    }

    /// A text in quotes for names that come from the file: inside them Mermaid takes text, with these characters as entities. `%` would
    /// begin a directive, a backtick Markdown. Each part has a line of its own.
    private static func quoted(_ parts: [String]) -> String {
        "\"" + parts.map(escaped).joined(separator: "<br/>") + "\""
    }

    private static func escaped(_ text: String) -> String {
        text.printable.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "#quot;"
            case "<": "#lt;"
            case ">": "#gt;"
            case "#", "%", "`", "&", "{", "}", "\\": "#\(scalar.value);"
            default: String(scalar)
            }
        }.joined()
    }
}
