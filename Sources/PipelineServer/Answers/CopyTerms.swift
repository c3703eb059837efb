internal import Pipeline

/// The field Cache-Control of an answer (RFC 9111, section 5.2.2): what holds for the copies that clients, and caches on the way, make of it.
enum CopyTerms {
    /// The text of the field; nil where neither the origin nor the pipeline limits how long the value holds.
    ///
    /// `max-age` counts from when the value was made, as the field Age does: what is left of it is how long the value stays fresh here.
    static func value(of outcome: Outcome, _ entry: Entry, spec: PipelineSpec) -> String? {
        let flags = entry.cacheControl?.flags ?? []
        // What a shared cache must not keep, the cache of one user may.
        let isForOne = flags.contains(.isPrivate) && !flags.contains(.noStore)
        if entry.notKept != nil, !isForOne { return "no-store" }
        var directives: [String] = []
        if flags.contains(.noCache) || !spec.live.isEmpty {
            // A change that a feed tells of would not reach a copy elsewhere before it expires.
            directives.append("no-cache")
        } else if entry.notKept != nil {
            if let lifetime = entry.cacheControl?.maxAge { directives.append("max-age=\(lifetime)") }
        } else if let left = left(of: outcome, entry, spec: spec) {
            directives.append("max-age=\(((outcome.age ?? .zero) + left).components.seconds)")
        }
        if flags.contains(.mustRevalidate) { directives.append("must-revalidate") }
        if flags.contains(.proxyRevalidate) { directives.append("proxy-revalidate") }
        if isForOne { directives.append("private") }
        return directives.isEmpty ? nil : directives.joined(separator: ", ")
    }

    /// How long the value stays fresh. An answer that comes from its origin stays so no longer than the first cache keeps it.
    private static func left(of outcome: Outcome, _ entry: Entry, spec: PipelineSpec) -> Duration? {
        guard entry.stored == nil else { return outcome.freshFor }
        let written = outcome.writes.filter { $0.outcome != .failed && $0.outcome != .skipped }.map(\.source)
        let cache = spec.tiers.first { $0.policy.writes && written.contains($0.name) }
        return [outcome.freshFor, cache?.policy.ttl.limit].compactMap { $0 }.min()
    }
}
