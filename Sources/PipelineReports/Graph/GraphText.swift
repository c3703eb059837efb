internal import PipelineConfig

/// Pipelines drawn in characters: the tiers from the top down, and where each answer goes.
package struct GraphText {
    private let hasColour: Bool

    package init(hasColour: Bool) {
        self.hasColour = hasColour
    }

    package func draw(_ model: GraphModel) -> String {
        var parts = model.pipelines.map(draw)
        if !model.sends.isEmpty { parts.append(model.sends.map(draw).joined()) }
        if !model.problems.isEmpty { parts.append(model.problems.map { mark($0, indent: "") + "\n" }.joined()) }
        return parts.joined(separator: "\n")
    }

    private func draw(_ pipeline: GraphPipeline) -> String {
        var lines = ["\(pipeline.signature)  \(pipeline.policies.map(\.words).joined(separator: ", "))".printable]
        if let description = pipeline.description { lines.append("  \(description)".printable) }
        lines += pipeline.problems.map { mark($0, indent: "  ") }
        let width = pipeline.tiers.map { TerminalWidth.of($0.title.printable) }.max() ?? 0
        for (index, tier) in pipeline.tiers.enumerated() {
            let isLast = index == pipeline.tiers.count - 1
            let margin = "  \(isLast ? " " : "│")    "
            let policy = tier.policies.map(\.words).joined(separator: ", ")
            let padding = policy.isEmpty ? "" : String(repeating: " ", count: width - TerminalWidth.of(tier.title.printable) + 2)
            lines.append("  \(index + 1). \(tier.title.printable)\(padding)\(policy.printable)")
            let targets = pipeline.writeBacks.filter { $0.from == index }.map { pipeline.tiers[$0.to].source }
            if !targets.isEmpty { lines.append("\(margin)its answer is written to \(targets.joined(separator: ", "))".printable) }
            if index == pipeline.composite {
                lines += pipeline.parts.map { "\(margin)\($0.isDispensable ? "⇠" : "←") \($0.words)".printable }
            }
            lines += tier.problems.map { mark($0, indent: margin) }
            if !isLast { lines.append("  ↓") }
        }
        if !pipeline.links.isEmpty { lines += ["  ⋮"] + pipeline.links.map { "  ⋯ \($0.words)".printable } }
        for feed in pipeline.feeds {
            let policy = feed.policies.map(\.words).joined(separator: ", ")
            lines += ["  ┆", "  ┄ \(feed.title)\(policy.isEmpty ? "" : "  \(policy)")".printable, "       \(feed.effect)".printable]
            lines += feed.problems.map { mark($0, indent: "       ") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func draw(_ send: GraphSend) -> String {
        var lines = [send.signature.printable]
        if let description = send.description { lines.append("  \(description)".printable) }
        lines.append("  → \(send.targetTitle)  \(send.label), kept in \(send.outbox)".printable)
        lines += send.changes.map { "  ⇢ \($0.pipeline)  \($0.operation)".printable }
        lines += send.problems.map { mark($0, indent: "  ") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func mark(_ problem: GraphProblem, indent: String) -> String {
        let words = "! \(problem.words) (line \(problem.line))".printable
        return indent + (hasColour ? "\u{1B}[\(problem.isError ? 31 : 33)m\(words)\u{1B}[0m" : words)
    }
}
