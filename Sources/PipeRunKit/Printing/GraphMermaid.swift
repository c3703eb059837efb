internal import Pipeline

/// Pipelines as a Mermaid flowchart: fallback solid, write-back dashed.
enum GraphMermaid {
    static func draw(_ pipelines: [PipelinePlan]) -> String {
        var lines = ["flowchart TD"]
        for (number, pipeline) in pipelines.enumerated() { lines += draw(pipeline, number: number) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func draw(_ pipeline: PipelinePlan, number: Int) -> [String] {
        func node(_ index: Int) -> String { "p\(number)t\(index)" }
        let title = [pipeline.signature] + PolicyWords.of(pipeline.policy)
        var lines = ["    subgraph p\(number)[\(quoted(title.joined(separator: ", ")))]"]
        for (index, tier) in pipeline.tiers.enumerated() {
            let label = quoted([tier.source.title] + PolicyWords.of(tier.policy))
            // A cache is drawn as a store, an origin as a box.
            lines.append("        \(node(index))" + (tier.source.isWritable == true ? "[(\(label))]" : "[\(label)]"))
        }
        for index in pipeline.tiers.indices.dropFirst() {
            lines.append("        \(node(index - 1)) -->|no answer| \(node(index))")
        }
        for (index, tier) in pipeline.tiers.enumerated() {
            for target in tier.writesBackTo {
                guard let position = pipeline.tiers.firstIndex(where: { $0.source.name == target }) else { continue }
                lines.append("        \(node(index)) -.->|\(quoted(writeLabel(pipeline.tiers[position].policy)))| \(node(position))")
            }
        }
        return lines + ["    end"]
    }

    private static func writeLabel(_ policy: TierPolicy) -> String {
        let words = [
            policy.ttl.limit?.written.map { "ttl \($0)" }, policy.debounce?.written.map { "debounce \($0)" },
        ].compactMap { $0 }
        return words.isEmpty ? "write-back" : "write-back, " + words.joined(separator: ", ")
    }

    /// Names come from the file: inside quotes Mermaid takes them as text, with these characters as entities. `%` would begin a
    /// directive, a backtick Markdown. Each part has a line of its own.
    private static func quoted(_ parts: String...) -> String {
        quoted(parts)
    }

    private static func quoted(_ parts: [String]) -> String {
        "\"" + parts.map(escaped).joined(separator: "<br/>") + "\""
    }

    private static func escaped(_ text: String) -> String {
        text.printable.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "#quot;"
            case "<": "#lt;"
            case ">": "#gt;"
            case "#", "%", "`", "&": "#\(scalar.value);"
            default: String(scalar)
            }
        }.joined()
    }
}
