internal import PipelineConfig

/// Pipelines for Graphviz: a cluster for each pipeline, fallback solid, write-back and feeds dashed.
package enum GraphDot {
    package static func draw(_ model: GraphModel) -> String {
        var lines = [
            "digraph pipelines {",
            "    rankdir=TB",
            "    graph [fontname=\"Helvetica\", labeljust=l, style=rounded, color=\"#9aa4b2\"]",
            "    node [fontname=\"Helvetica\", fontsize=12, color=\"#57606a\"]",
            "    edge [fontname=\"Helvetica\", fontsize=10, color=\"#57606a\"]",
        ]
        if !model.problems.isEmpty { lines.append("    label=\(quoted(model.problems.map { "⚠ " + $0.words }))") }
        for (number, pipeline) in model.pipelines.enumerated() { lines += draw(pipeline, number: number) }
        let far = model.farPipelines
        lines += far.enumerated().map { "    x\($0) [label=\(quoted([$1])), shape=box, style=rounded]" }
        for line in model.partLines {
            let target = line.to.map { "p\($0)t0" } ?? "x\(far.firstIndex(of: line.part.pipeline) ?? 0)"
            let style = line.part.isLink ? "dotted" : line.part.isDispensable ? "dashed" : "solid"
            let tint = quoted([colour(of: line.part.change) ?? "#0a7d77"])
            lines.append(
                "    p\(line.from.pipeline)t\(line.from.tier) -> \(target) [style=\(style), color=\(tint), fontcolor=\(tint), "
                    + "label=\(quoted(line.part.changedLabel))]")
        }
        for (number, send) in model.sends.enumerated() {
            lines.append("    s\(number) [label=\(quoted(model.lines(in: send))), shape=parallelogram]")
            lines.append("    s\(number)o [label=\(quoted([send.targetTitle])), shape=box]")
            lines.append("    s\(number) -> s\(number)o [label=\(quoted([send.label]))]")
        }
        lines += model.sendLines.filter { !model.pipelines[$0.to].tiers.isEmpty }.map { line in
            "    s\(line.send) -> p\(line.to)t0 [style=dashed, label=\(quoted([line.change.operation]))]"
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func draw(_ pipeline: GraphPipeline, number: Int) -> [String] {
        func node(_ index: Int) -> String { "p\(number)t\(index)" }
        let title = mark(pipeline.change) + pipeline.signature
        let policies = pipeline.policies.map(\.words).joined(separator: ", ")
        let parts = [title, pipeline.description, policies].compactMap { $0 } + pipeline.problems.map { "⚠ " + $0.words }
        var lines = ["    subgraph cluster_p\(number) {", "        label=\(quoted(parts, justified: "l"))"]
        if let colour = colour(of: pipeline.change) { lines.append("        color=\(quoted([colour]))") }
        for (index, tier) in pipeline.tiers.enumerated() {
            let former = tier.formerTitle.map { "\($0) → " } ?? ""
            let moved = tier.formerIndex.map { "was asked as number \($0 + 1)" }
            let label =
                [mark(tier.change) + former + tier.title] + [moved].compactMap { $0 } + tier.policies.map(\.words)
                + tier.problems.map { "⚠ " + $0.words }
            // A cache is drawn as a store, an origin as a box.
            var attributes = ["label=\(quoted(label))", "shape=\(tier.isCache ? "cylinder" : "box")"]
            if let colour = colour(of: tier.change) ?? (tier.problems.isEmpty ? nil : "#bf8700") {
                attributes += ["color=\(quoted([colour]))", "penwidth=2"]
            }
            if tier.change == .removed { attributes.append("style=dashed") }
            lines.append("        \(node(index)) [\(attributes.joined(separator: ", "))]")
        }
        lines += pipeline.fallbacks.map { "        \(node($0.from)) -> \(node($0.to)) [label=\"no answer\"]" }
        for edge in pipeline.writeBacks {
            let label = quoted([mark(edge.change) + "write-back"] + edge.words)
            let tint = colour(of: edge.change).map { ", color=\(quoted([$0])), fontcolor=\(quoted([$0]))" } ?? ""
            lines.append("        \(node(edge.from)) -> \(node(edge.to)) [style=dashed, constraint=false, label=\(label)\(tint)]")
        }
        for (index, feed) in pipeline.feeds.enumerated() {
            let label = [mark(feed.change) + feed.title] + feed.policies.map(\.words) + feed.problems.map { "⚠ " + $0.words }
            let tint = colour(of: feed.change) ?? (feed.problems.isEmpty ? "#a8246e" : "#bf8700")
            lines.append(
                "        p\(number)f\(index) [label=\(quoted(label)), shape=box, style=\"rounded,dashed\", color=\(quoted([tint]))]")
        }
        for line in pipeline.feedLines {
            let feed = pipeline.feeds[line.feed]
            let colours = "color=\"#a8246e\", fontcolor=\"#a8246e\""
            let tint = colour(of: feed.change).map { "color=\(quoted([$0])), fontcolor=\(quoted([$0]))" } ?? colours
            lines.append(
                "        p\(number)f\(line.feed) -> \(node(line.to)) [style=dashed, constraint=false, label=\"\(feed.label)\", \(tint)]")
        }
        // Below the tiers, and not beside the first.
        if let last = pipeline.tiers.indices.last, !pipeline.feeds.isEmpty {
            lines.append(
                "        \(node(last)) -> { \(pipeline.feeds.indices.map { "p\(number)f\($0)" }.joined(separator: " ")) } [style=invis]")
        }
        return lines + ["    }"]
    }

    private static func mark(_ change: GraphChange?) -> String { change.map { "\($0.mark) " } ?? "" }

    private static func colour(of change: GraphChange?) -> String? {
        switch change {
        case .added: "#1a7f37"
        case .removed: "#cf222e"
        case .moved, .changed: "#9a6700"
        case nil: nil
        }
    }

    /// A quoted string of DOT for names that come from the file. In it, a quote and a backslash are escaped, in labels an `&` begins an
    /// entity. Each part has a line of its own.
    private static func quoted(_ parts: [String], justified: String = "n") -> String {
        let lines = parts.map { part in
            part.printable.unicodeScalars.map { scalar in
                switch scalar {
                case "\"": "\\\""
                case "\\": "\\\\"
                case "&": "&amp;"
                default: String(scalar)
                }
            }.joined()
        }
        let text = lines.joined(separator: "\\\(justified)")
        return "\"" + text + (justified == "n" ? "" : "\\\(justified)") + "\""
    }
}
