package import Pipeline
import PipelineComposing
import PipelineLive
import PipelineSending

/// The field Cache-Control of an answer (RFC 9111, section 5.2.2): what holds for the copies that clients, and caches on the way, make of it.
enum CopyTerms {
    /// The text of the field; nil if neither the origin nor the pipeline limits how long the answer holds.
    ///
    /// `max-age` counts from when the value was made, as the field Age does: what is left of it is how long the value stays fresh here.
    ///
    /// - Parameters:
    ///   - entry: the value, or what says that there is none.
    ///   - isFed: whether feeds change the value, or one that it is made from.
    static func value(of outcome: Outcome, _ entry: Entry, spec: PipelineSpec, isFed: Bool) -> String? {
        // What is laid over goes away by itself, and no cache outside hears of that.
        if !outcome.sends.isEmpty { return "no-store" }
        // What is made from others and lacks something, or is stale, holds for this one request. A composite from a cache was made before.
        if outcome.isStale, outcome.isCombined || spec.combine != nil { return "no-store" }
        if outcome.isCombined, !outcome.isComplete || outcome.notKept != nil { return "no-store" }
        let flags = entry.cacheControl?.flags ?? []
        // What a shared cache must not keep, the cache of one user may.
        let isForOne = flags.contains(.isPrivate) && !flags.contains(.noStore)
        if entry.notKept != nil, !isForOne { return "no-store" }
        var directives: [String] = []
        if flags.contains(.noCache) || isFed {
            // A change that a feed tells of would not reach a copy elsewhere before it expires.
            directives.append("no-cache")
        } else if entry.notKept != nil {
            if let lifetime = entry.cacheControl?.maxAge { directives.append("max-age=\(lifetime)") }
        } else if let left = left(of: outcome, entry, spec: spec) {
            directives.append("max-age=\((outcome.age(of: entry) + left).components.seconds)")
        }
        if flags.contains(.mustRevalidate) { directives.append("must-revalidate") }
        if flags.contains(.proxyRevalidate) { directives.append("proxy-revalidate") }
        if isForOne { directives.append("private") }
        return directives.isEmpty ? nil : directives.joined(separator: ", ")
    }

    /// The time for which the answer stays fresh. One that comes from its origin stays so no longer than the first cache keeps it.
    private static func left(of outcome: Outcome, _ entry: Entry, spec: PipelineSpec) -> Duration? {
        let own = entry.freshUntil.map { max(.zero, $0.duration(since: outcome.ended)) }
        guard entry.stored == nil else { return own }
        let written = outcome.writes.filter { $0.outcome != .failed && $0.outcome != .skipped }.map(\.source)
        let cache = spec.tiers.first { $0.policy.writes && written.contains($0.name) }
        let remembered = entry.isNotFound && cache != nil ? spec.policy.notFoundTTL : nil
        return [own, remembered, cache?.policy.ttl].compactMap(\.self).min()
    }
}

/// A value that feeds may change, themselves or by what it is made from: a copy elsewhere would not be told.
package struct FedValue {
    private let pipelines: Pipelines

    package init(pipelines: Pipelines) { self.pipelines = pipelines }

    /// - Parameter paths: the links that are followed in the value.
    package func isFed(_ spec: PipelineSpec, following paths: [String]) -> Bool {
        if !spec.live.isEmpty { return true }
        if spec.combine == nil, paths.isEmpty { return false }
        var open = names(CompositeSpec(.of(PartSpec(spec.name, follow: paths))))
        var seen: Set<String> = []
        while let name = open.popFirst() {
            guard seen.insert(name).inserted, let spec = try? pipelines.pipeline(named: name).spec else { continue }
            if !spec.live.isEmpty { return true }
            open.formUnion(names(spec.combine))
        }
        return false
    }

    private func names(_ combine: CompositeSpec?) -> Set<String> {
        CompositeCheck.combinedPipelines(combine) { (try? pipelines.pipeline(named: $0).spec.links) ?? [] }
    }
}
