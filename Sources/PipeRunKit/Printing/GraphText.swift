internal import Pipeline

/// A pipeline drawn in characters: the tiers from the top down, and where each answer goes.
enum GraphText {
    static func draw(_ pipeline: PipelinePlan) -> String {
        var lines = ["\(pipeline.signature)  \(PolicyWords.of(pipeline.policy).joined(separator: ", "))"]
        if let description = pipeline.description { lines.append("  \(description)") }
        let width = pipeline.tiers.map(\.source.title.count).max() ?? 0
        for (index, tier) in pipeline.tiers.enumerated() {
            let isLast = index == pipeline.tiers.count - 1
            let title = tier.source.title
            let policy = PolicyWords.of(tier.policy).joined(separator: ", ")
            let padding = policy.isEmpty ? "" : String(repeating: " ", count: width - title.count + 2)
            lines.append("  \(index + 1). \(title)\(padding)\(policy)")
            if !tier.writesBackTo.isEmpty {
                lines.append("  \(isLast ? " " : "│")    its answer is written to \(tier.writesBackTo.joined(separator: ", "))")
            }
            if !isLast { lines.append("  ↓") }
        }
        return lines.map(\.printable).joined(separator: "\n") + "\n"
    }
}
