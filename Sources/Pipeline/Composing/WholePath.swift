internal import PipelineJSON

/// The shortest way to a whole: memory has a fresh copy of each part at hand. Then there is nothing to decide, no load, and no flight.
final class WholePath: Sendable {
    private let composite: Composite
    private let name: String
    private let attempts: [Attempt]
    private let flights: Flights
    private let clock: PipelineClock
    private let observer: PipelineEvent.Observer?

    /// Nil where something else is asked before the composite, where more than its parts decides, and where a part must wait for another or
    /// for a link.
    ///
    /// - Parameter flights: the loads of the whole.
    init?(_ tiers: [Tier], flights: Flights) {
        guard let tier = tiers.first, tier.readsAtOnce, let composite = tier.composite, composite.canBeAtHand else { return nil }
        self.composite = composite
        name = tier.name
        attempts = [Attempt(name, .hit)]
        (clock, observer) = (tier.clock, tier.observer)
        self.flights = flights
    }

    /// The whole of `key`, where no cache or observer is to learn of it. Nil when there is more to do; notes then what memory has of the parts
    /// that were looked for.
    func outcome(for key: Key, noting looked: inout Looked?) -> Outcome? {
        guard !composite.watchesParts, composite.lives[key] == nil else { return nil }
        let named = composite.namedParts
        if named.hits.isEmpty { return nil }
        let (ended, now) = (flights.endedCount, clock.now)
        var copies: [NamedParts.Copy] = []
        guard let (payload, times) = whole(of: key, named, at: now, noting: &copies), copies.allSatisfy(\.entry.missingTargets.isEmpty)
        else {
            let found = zip(named.hits, copies).map { hit, copy in hit.path.outcome(of: copy.entry, for: copy.key, at: now) }
            looked = .parts(found + (found.count < named.hits.count ? [nil] : []), ended: ended)
            return nil
        }
        let composition = Composition(atHand: copies, at: now, named, of: composite.parts, notKept: times.notKept)
        let entry = Entry(
            payload, created: times.created ?? now, freshUntil: times.freshUntil, source: name, cacheControl: times.cacheControl)
        let outcome = Outcome(entry, madeFrom: composition, attempts: attempts, in: name, for: key, at: now)
        if let observer { outcome.reportAtHand(to: observer) }
        return outcome
    }

    /// - Parameter copies: those of the parts, in their order, up to the first that memory does not have.
    private func whole(
        of key: Key, _ named: NamedParts, at now: Timestamp, noting copies: inout [NamedParts.Copy]
    ) -> (payload: [UInt8], times: PartTimes)? {
        var times = PartTimes()
        var pieces: [JSONFragment.Member] = []
        pieces.reserveCapacity(named.hits.count)
        copies.reserveCapacity(named.hits.count)
        var parameters: [Parameter]?
        do throws(SourceError) {
            for index in named.hits.indices {
                let (hit, part) = (named.hits[index], composite.parts[index])
                let partKey: Key
                if let known = hit.key {
                    partKey = known
                } else {
                    let given = parameters ?? key.parameters
                    parameters = given
                    guard let pipeline = named.pipelines[index] else { return nil }
                    partKey = try composite.key(of: part, in: pipeline, given) { argument throws(SourceError) in try argument.given(given) }
                }
                guard let copy = hit.path.immediateCopy(partKey, at: now), let payload = copy.payload else { return nil }
                times.use(copy: copy, as: "part `\(part.name)`")
                copies.append(NamedParts.Copy(key: partKey, entry: copy))
                let value =
                    hit.isPlain ? JSONFragment(payload) : try composite.selected(part, of: named.pipelines[index], payload)
                pieces.append(JSONFragment.Member(part.member, value))
            }
            return try composite.assembled(pieces).map { ($0, times) }
        } catch {
            // An assembly says why.
            return nil
        }
    }
}
