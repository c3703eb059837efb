internal import PipelineJSON

/// The shortest way to a whole: memory has a fresh copy of each part at hand. Then there is nothing to decide, no load, and no flight.
final class WholePath: Sendable {
    private let composite: Composite
    /// Those of the composite, a reference of its own: it is referred to weakly elsewhere, and counting one more would be dear.
    private let lives: LiveKeys
    private let name: String
    private let clock: PipelineClock
    private let observer: PipelineEvent.Observer?

    /// Nil where something else is asked before the composite, where more than its parts decides, and where a part must wait for another or
    /// for a link.
    init?(_ tiers: [Tier]) {
        guard let tier = tiers.first, tier.policy.retry == nil, tier.breaker == nil, let composite = tier.source as? Composite,
            composite.canBeAtHand
        else { return nil }
        (self.composite, lives) = (composite, composite.lives)
        name = tier.name
        (clock, observer) = (tier.clock, tier.observer)
    }

    /// The whole of `key`, where no cache or observer is to learn of it. Nil when there is more to do.
    func outcome(for key: Key) -> Outcome? {
        guard !composite.watchesParts, lives[key] == nil else { return nil }
        let named = composite.namedParts
        if named.hits.isEmpty { return nil }
        var now = clock.recent
        var copies: [NamedParts.Copy] = []
        copies.reserveCapacity(named.hits.count)
        var times = PartTimes()
        guard look(for: key, named, at: &now, &copies, &times), let payload = whole(of: copies, named) else { return nil }
        let parts = PartsAtHand(copies, of: named, at: now, notKept: times.notKept)
        let entry = Entry(
            payload, created: times.created ?? now, freshUntil: times.freshUntil, source: name, cacheControl: times.cacheControl)
        let outcome = Outcome(entry, knowing: parts, in: name, for: key, at: now)
        if let observer {
            for (hit, copy) in zip(named.hits, copies) { hit.outcome(of: copy, at: now).reportAtHand(to: observer) }
            outcome.reportAtHand(to: observer)
        }
        return outcome
    }

    /// Notes what memory has of the parts, in their order. False where it lacks one, or has one of which there is more to tell.
    private func look(
        for key: Key, _ named: NamedParts, at now: inout Timestamp, _ copies: inout [NamedParts.Copy], _ times: inout PartTimes
    ) -> Bool {
        var parameters: [Parameter]?
        for index in composite.parts.indices {
            var partKey: Key?
            if !named.hasKey(of: index) {
                let given = parameters ?? key.parameters
                parameters = given
                // An assembly says why there is none.
                guard let made = composite.key(ofPart: index, in: named, given) else { return false }
                partKey = made
            }
            guard named.addCopy(of: index, to: &copies, &times, for: partKey, at: &now) else { return false }
        }
        return true
    }

    /// Nil where an assembly says why there is none.
    private func whole(of copies: [NamedParts.Copy], _ named: NamedParts) -> [UInt8]? {
        if let object = named.object(of: copies, limit: composite.spec.maxSize.bytes) { return object }
        do throws(SourceError) {
            var pieces: [JSONFragment.Member] = []
            for (index, copy) in copies.enumerated() {
                guard let payload = copy.entry.payload else { return nil }
                let part = composite.parts[index]
                let value =
                    named.hits[index].isPlain ? JSONFragment(payload) : try composite.selected(part, of: named.pipelines[index], payload)
                pieces.append(JSONFragment.Member(part.member, value))
            }
            return try composite.assembled(pieces)
        } catch {
            return nil
        }
    }
}

extension Composite {
    /// The key of a part; nil where there is none.
    fileprivate func key(ofPart index: Int, in named: NamedParts, _ given: [Parameter]) -> Key? {
        guard let pipeline = named.pipelines[index] else { return nil }
        return try? key(of: parts[index], in: pipeline, given) { argument throws(SourceError) in try argument.given(given) }
    }
}
