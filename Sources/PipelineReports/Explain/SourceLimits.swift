package import PipelineConfig

/// The time limits that sources have themselves: what their plugins declare as the duration `timeout`.
package enum SourceLimits {
    package static func of(_ config: EffectiveConfig, plugins: [SourcePlugin]) -> [String: SourceLimit] {
        guard case .mapping(let sources)? = config.root["sources"]?.content else { return [:] }
        var limits: [String: SourceLimit] = [:]
        for source in sources {
            let declarations = plugins.first { $0.name == source.value["type"]?.text }?.declarations ?? []
            guard declarations.contains(where: { $0.name == "timeout" && $0.type == .duration }),
                let value = source.value["timeout"], let limit = value.text.flatMap({ try? Quantity.duration($0) })
            else { continue }
            let ranges = value.origins.compactMap { if case .place(let range, _) = $0 { range } else { nil } }
            limits[source.key] = SourceLimit(limit: limit, range: ranges.first)
        }
        return limits
    }
}
