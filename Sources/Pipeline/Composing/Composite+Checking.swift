extension Composite {
    /// What has changed since the copy of `key` was made that a cache gave: the first part found that has another value now in the caches of
    /// its own pipeline, or none where they keep values. Nil where nothing has, as far as they know.
    ///
    /// Such a cache outlives the process, and others may write the same one: what they removed or replaced, this process was not told of.
    /// From now on changes of its parts expire the copy, as if it had been assembled here.
    ///
    /// - Parameters:
    ///   - limit: until when the copy is fresh.
    ///   - end: when the caches of the parts must have answered.
    func change(
        since copy: Entry, of key: Key, freshUntil limit: Timestamp?, priority: Priority, until end: Timestamp?
    ) async throws -> Key? {
        guard copy.source == CompositeSpec.placeName, let text = copy.variant else { return nil }
        // What another version wrote, or a hand, says nothing.
        guard let parts = MadeFrom(text: text)?.parts else { return key }
        let live = lives[key]
        let watch =
            watchesParts || live != nil ? wholes.assembly(of: key, observedAs: live, asksOrigins: false) : nil
        var named: [String: [(key: Key, trait: WholeIndex.Trait)]] = [:]
        for part in parts {
            guard let pipeline = directory[part.key.pipeline] else { return part.key }
            watch?.asks(part.key, of: pipeline)
            named[part.key.pipeline, default: []].append(part)
        }
        for (name, parts) in named.sorted(by: { $0.key < $1.key }) {
            guard let pipeline = directory[name] else { return parts.first?.key }
            // A copy of a part that has expired says what its value was all the same. That of a whole may have expired because it changed.
            let policy = pipeline.composite == nil ? FetchPolicy.offline : .cacheOnly
            let timeout = end.map { max(.zero, $0.duration(since: clock.now)) }
            let outcomes = try await pipeline.fetch(
                many: parts.map(\.key), policy: policy, priority: priority, timeout: timeout,
                for: PartDemand(policy: policy, priority: priority, end: end, isBound: end != nil)
            ) { _, _ in }
            for (part, outcome) in zip(parts, outcomes) where !pipeline.knows(outcome, as: part.trait) { return part.key }
        }
        guard let watch else { return nil }
        for part in parts { watch.uses(part.key, part.trait) }
        let kept = keptUntil(created: copy.created, freshUntil: limit)
        return watch.end(until: kept, at: clock.now).outdated
    }
}

extension DataPipeline {
    /// Whether `outcome`, what the caches have of a key, says nothing else than that its value is `trait`.
    fileprivate func knows(_ outcome: Outcome, as trait: WholeIndex.Trait) -> Bool {
        if let answer = outcome.answer { return WholeIndex.Trait(answer.payload) == trait }
        // Where a copy was kept that is gone, it was removed, or had no room. What is only in memory ends with the process.
        return trait == .absent || composite != nil || !keepsValues
    }
}
