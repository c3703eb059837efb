internal import Pipeline
package import PipelineConfig

/// The starter file of `init`, made from the declarations of the plugins.
package struct StarterFile {
    private let sources: [StarterSource]
    private let parameters: [String]

    package init(_ plugins: [SourcePlugin]) {
        var counts: [String: Int] = [:]
        let hasOrigin = plugins.contains(where: StarterSource.isOrigin)
        let origin = hasOrigin ? nil : plugins.lastIndex(where: StarterSource.canBeReadOnly)
        sources = plugins.enumerated().map { index, plugin in
            counts[plugin.name, default: 0] += 1
            return StarterSource(plugin, number: counts[plugin.name] ?? 1, isReadOnly: index == origin)
        }
        parameters = sources.filter(\.mayHoldValues).flatMap(\.parameters).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The plugins, with an origin of `known` after caches that nothing else would fill.
    package static func filled(_ plugins: [SourcePlugin], from known: [SourcePlugin]) -> [SourcePlugin] {
        let canBeFilled = plugins.contains { StarterSource.isOrigin($0) || StarterSource.canBeReadOnly($0) }
        guard !canBeFilled, let origin = known.first(where: { $0.capabilities.contains(.neverMisses) }) else { return plugins }
        return plugins + [origin]
    }

    /// The words that follow `pipe-run` to fetch its value: `fetch friends user=42`.
    package var call: String {
        (["fetch friends"] + parameters.map { "\($0)=42" }).joined(separator: " ")
    }

    package var text: String {
        var lines = [
            "# A pipeline says which sources to ask, in which order, and how long each copy is good.",
            "# Check it with `pipe-run validate`, try it with `pipe-run \(call) --trace`.",
            "# Editors complete and check it by the schema that `pipe-run schema > pipeline.schema.json` writes next to it.",
            "# yaml-language-server: $schema=./pipeline.schema.json",
            "version: 1",
            "",
            "sources:",
        ]
        for source in sources { lines += source.lines(parameters: parameters) + [""] }
        lines += ["pipelines:", "  friends:"]
        if !parameters.isEmpty {
            lines += ["    # What a fetch is given.", "    parameters: [\(parameters.joined(separator: ", "))]"]
        }
        lines.append("    # Asked from the top down. An answer of an origin is written to every cache, one of a cache to those above it.")
        if order.contains(where: isLastResort) {
            lines.append("    # A last resort is asked when no stale copy may be served either, and its answer is written to no cache.")
        }
        lines.append("    tiers:")
        return (lines + tiers + live + others + sends).joined(separator: "\n") + "\n"
    }

    /// A send, commented out: where it goes is not known.
    private var sends: [String] {
        guard let outbox = sources.first(where: \.keepsSends) else { return [] }
        return [
            "",
            "# Writes that go out, now or later. `to` names a source of the type `http` whose method is `POST`, `PUT`, `PATCH` or `DELETE`.",
            "# sends:", "#   change_friends:", "#     to: SOURCE", "#     outbox: \(outbox.name)", "#     changes: [{ pipeline: friends }]",
        ]
    }

    /// The order of asking: nothing below a source that always answers would be asked.
    private var order: [StarterSource] {
        sources.filter { !$0.alwaysAnswers && $0.mayHoldValues } + sources.filter(\.alwaysAnswers).prefix(1)
    }

    /// Indicates whether it is a fallback: it always answers, below another origin.
    private func isLastResort(_ source: StarterSource) -> Bool {
        source.alwaysAnswers && sources.contains { !$0.isCache && !$0.alwaysAnswers && $0.mayHoldValues }
    }

    /// The sources that report changes; how messages are merged depends on what stands in them.
    private var live: [String] {
        let telling = sources.filter(\.tellsOfChanges)
        guard !telling.isEmpty else { return [] }
        let lines =
            ["    # These report changes. Each message reloads the value."]
            + (telling.contains(where: \.hasContents)
                ? [
                    "    # With the place of an `id`, messages are merged into the list that the value is; `pipe-run help pipelines.live` says more."
                ] : [])
        return lines + ["    live:"]
            + telling.flatMap { source in
                ["      - \(source.name)"]
                    + (source.hasContents ? ["      # - { source: \(source.name), id: /id, version: /updated_at }"] : [])
            }
    }

    /// A pipeline of its own for each further source that always answers.
    private var others: [String] {
        sources.filter(\.alwaysAnswers).dropFirst().enumerated().flatMap { index, source in
            ["", "  friends_\(index + 2):", "    tiers:", "      - \(source.name)"]
        }
    }

    /// The lines of the tiers: the copies further up are good for a shorter time than those they are made from.
    private var tiers: [String] {
        let caches = sources.filter(\.isCache)
        return order.map { source in
            guard let position = caches.firstIndex(where: { $0.name == source.name }) else {
                return isLastResort(source) ? "      - { source: \(source.name), last_resort: true }" : "      - \(source.name)"
            }
            let ttl = position == 0 && caches.count > 1 ? "30s" : position < 2 ? "10m" : "1h"
            return "      - { source: \(source.name), ttl: \(ttl) }"
        }
    }
}
