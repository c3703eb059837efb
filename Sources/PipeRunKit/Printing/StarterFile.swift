internal import Pipeline

/// The starter file of `init`, made from the declarations of the plugins.
enum StarterFile {
    static func text(_ plugins: [SourcePlugin]) -> String {
        var lines = [
            "# A pipeline says which sources to ask, in which order, and how long each copy is good.",
            "# Check it with `pipe-run validate`, try it with `pipe-run fetch friends --trace`.",
            "version: 1",
            "",
            "sources:",
        ]
        for (plugin, name) in named(plugins) { lines += source(name, plugin) + [""] }
        lines += pipeline(named(plugins))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Each plugin with a name for its source: what it is for the pipeline, numbered where a type comes twice.
    private static func named(_ plugins: [SourcePlugin]) -> [(SourcePlugin, String)] {
        var counts: [String: Int] = [:]
        return plugins.map { plugin in
            let base = ["file": "disk", "http": "api"][plugin.name] ?? plugin.name
            counts[base, default: 0] += 1
            let number = counts[base] ?? 1
            return (plugin, number == 1 ? base : "\(base)_\(number)")
        }
    }

    private static func source(_ name: String, _ plugin: SourcePlugin) -> [String] {
        var lines = ["  # \(plugin.summary)", "  \(name):", "    type: \(plugin.name)"]
        for field in plugin.declarations where field.replacement == nil {
            lines.append("    # \(field.documentation)")
            if field.isRequired {
                lines.append("    \(field.name): \(field.example ?? "")")
            } else {
                lines.append("    # \(field.name): \(field.example ?? field.defaultText ?? "")")
            }
        }
        return lines
    }

    private static func pipeline(_ sources: [(SourcePlugin, String)]) -> [String] {
        var lines = [
            "pipelines:",
            "  friends:",
            "    # Asked from the top down. An answer of an origin is written to every cache, one of a cache to those above it.",
            "    tiers:",
        ]
        // The copies further up are good for a shorter time than those they are made from.
        let caches = sources.filter { $0.0.capabilities.contains(.writes) }
        for (plugin, name) in sources {
            guard plugin.capabilities.contains(.writes), let position = caches.firstIndex(where: { $0.1 == name }) else {
                lines.append("      - \(name)")
                continue
            }
            let ttl = position == 0 && caches.count > 1 ? "30s" : position < 2 ? "10m" : "1h"
            lines.append("      - { source: \(name), ttl: \(ttl) }")
        }
        return lines
    }
}
