internal import Pipeline
package import PipelineConfig

/// What a source does for several processes that use it.
package struct SourceSharing: Hashable {
    /// How long after a process that loads has died another one loads; nil when each loads for itself.
    var lease: Duration?
    /// Where `shared_flight` is written.
    var leaseRange: TextRange?
    /// Whether removals are published.
    var publishes = false
    /// Where `invalidation` is written.
    var publishesRange: TextRange?

    /// The sources that do anything, by their names: what their plugins declare as `shared_flight` and as the bool `invalidation`.
    package static func of(_ config: EffectiveConfig, plugins: [SourcePlugin]) -> [String: SourceSharing] {
        guard case .mapping(let sources)? = config.root["sources"]?.content else { return [:] }
        var all: [String: SourceSharing] = [:]
        for source in sources {
            let declarations = plugins.first { $0.name == source.value["type"]?.text }?.declarations ?? []
            var sharing = SourceSharing()
            if declarations.contains(where: { $0.name == "shared_flight" && $0.type == SharedFlightChoice.fieldType }),
                let value = source.value["shared_flight"]
            {
                sharing.lease = lease(in: value)
                sharing.leaseRange = value.range
            }
            if declarations.contains(where: { $0.name == "invalidation" && $0.type == .bool }), let value = source.value["invalidation"] {
                sharing.publishes = value.text.flatMap(CoreSchema.bool) ?? false
                sharing.publishesRange = value.range
            }
            if sharing.lease != nil || sharing.publishes { all[source.key] = sharing }
        }
        return all
    }

    private static func lease(in value: EffectiveValue) -> Duration? {
        if let text = value.text { return CoreSchema.bool(text) == true ? SharedFlight().lease : nil }
        return value["lease"]?.text.flatMap { try? Quantity.duration($0) } ?? SharedFlight().lease
    }
}

extension EffectiveValue {
    fileprivate var range: TextRange? {
        origins.compactMap { if case .place(let range, _) = $0 { range } else { nil } }.first
    }
}
