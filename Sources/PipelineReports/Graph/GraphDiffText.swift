internal import PipelineConfig

/// A change in lines that begin with `+`, `-`, `~`, or with a space where nothing changes.
package struct GraphDiffText {
    private let hasColour: Bool

    package init(hasColour: Bool) {
        self.hasColour = hasColour
    }

    package func text(_ changed: [GraphPipeline], unchanged: [String], from old: String, to new: String) -> String {
        guard !changed.isEmpty else { return "no changes between \(old) and \(new)\n".printable(keepingLineBreaks: true) }
        var lines = ["--- \(old)".printable, "+++ \(new)".printable]
        for pipeline in changed { lines += [""] + self.lines(pipeline) }
        if !unchanged.isEmpty { lines += ["", "not changed: \(unchanged.joined(separator: ", "))".printable] }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(_ pipeline: GraphPipeline) -> [String] {
        let isWhole = pipeline.change != .changed
        var lines = [line(pipeline.change, "", pipeline.signature)]
        for policy in pipeline.policies where policy.change != nil { lines.append(line(policy.change, "  ", words(policy))) }
        var number = 0
        for tier in pipeline.tiers {
            let isAsked = isWhole || tier.change != .removed
            if isAsked { number += 1 }
            var words = isAsked ? "\(number). \(tier.title)" : tier.title
            if let former = tier.formerTitle { words += ", was \(former)" }
            if let index = tier.formerIndex { words += ", was asked as number \(index + 1)" }
            let isNew = tier.change == .added || tier.change == .removed
            if isNew, !tier.policies.isEmpty { words += "  \(tier.policies.map(\.words).joined(separator: ", "))" }
            let hasOwn = isNew || tier.formerIndex != nil || tier.formerTitle != nil
            lines.append(line(hasOwn ? tier.change : nil, "  ", words))
            guard !isNew else { continue }
            for policy in tier.policies where policy.change != nil { lines.append(line(policy.change, "       ", self.words(policy))) }
        }
        lines += self.lines(pipeline.parts) + self.lines(pipeline.links)
        for feed in pipeline.feeds {
            let isNew = feed.change == .added || feed.change == .removed
            let policies = isNew && !feed.policies.isEmpty ? "  \(feed.policies.map(\.words).joined(separator: ", "))" : ""
            lines.append(line(isNew ? feed.change : nil, "  ", "live \(feed.title)\(policies)"))
            guard !isNew else { continue }
            for policy in feed.policies where policy.change != nil { lines.append(line(policy.change, "       ", words(policy))) }
        }
        for edge in pipeline.writeBacks where edge.change != nil {
            let words = "write-back \(pipeline.tiers[edge.from].source) → \(pipeline.tiers[edge.to].source)"
            lines.append(line(edge.change, "  ", ([words] + edge.words).joined(separator: ", ")))
        }
        return lines
    }

    /// The parts or the links that change.
    private func lines(_ parts: [GraphPart]) -> [String] {
        parts.enumerated().flatMap { index, part -> [String] in
            guard let change = part.change else { return [] }
            let title = part.title(number: (change == .removed ? part.formerIndex ?? index : index) + 1)
            switch change {
            case .added, .removed:
                let rest = ([part.call] + part.conditions).filter { !$0.isEmpty }.joined(separator: ", ")
                return [line(change, "  ", rest.isEmpty ? title : "\(title)  \(rest)")]
            case .moved, .changed:
                let moved = part.formerPlace.map { ", \($0)" } ?? ""
                return [line(change, "  ", title + moved)]
                    + part.changes.map { line($0.change, "       ", words($0)) }
            }
        }
    }

    /// The words of a policy without the mark, which begins the line.
    private func words(_ policy: GraphPolicy) -> String {
        policy.change == .changed ? policy.words : String(policy.words.dropFirst(2))
    }

    private func line(_ change: GraphChange?, _ indent: String, _ words: String) -> String {
        let text = "\(change?.mark ?? " ") \(indent)\(words)".printable
        guard hasColour, let change else { return text }
        let colour =
            switch change {
            case .added: 32
            case .removed: 31
            case .moved, .changed: 33
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }
}

extension String {
    /// The text without what a terminal would obey, its own line breaks kept.
    fileprivate func printable(keepingLineBreaks: Bool) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
