import Pipeline
import PipelineLive
internal import PipelineJSON

/// How memory is asked for a part. It is found once: each look at the specification of a pipeline copies it.
final class MemoryPlace: Sendable {
    let part: Composite.Part
    let pipeline: DataPipeline
    let path: HitPath
    /// The only key of the pipeline; nil if it has parameters.
    let key: Key?
    /// Indicates whether the composite has the payload as it is.
    let isPlain: Bool

    /// Nil if memory cannot have the part at hand.
    init?(_ part: Composite.Part, of pipeline: DataPipeline?) {
        guard let pipeline, let path = pipeline.hitPath, path.isImmediate else { return nil }
        (self.part, self.pipeline, self.path) = (part, pipeline, path)
        key = pipeline.spec.parameters.isEmpty ? try? pipeline.key() : nil
        isPlain = pipeline.spec.policy.format == .json && part.spec.select.tokens.isEmpty
    }

    /// The outcome of the part, if `copy` is its value.
    fileprivate func outcome(of copy: Entry, for key: Key, at now: Timestamp) -> PartOutcome {
        PartOutcome(at: part.at, part.spec.pipeline, key, .value, outcome: path.outcome(of: copy, for: key, at: now))
    }
}

extension Composite: PromptSource {
    /// The composite of parts that memory has. Nil also if a cache or an observer is to learn of it.
    func answer(for key: Key, at now: inout Timestamp) -> (entry: Entry, detail: any ReplyDetail)? {
        let places = memoryPlaces
        guard !places.isEmpty, !watchesParts, live(key) == nil else { return nil }
        var (times, pieces, copies) = (PartTimes(), [JSONFragment.Member](), [HeldCopy]())
        pieces.reserveCapacity(places.count)
        copies.reserveCapacity(places.count)
        for place in places {
            guard let partKey = place.key ?? self.key(of: place, for: key), let copy = place.path.immediateCopy(partKey, at: &now),
                let payload = copy.payload, copy.missingTargets.isEmpty,
                let value = place.isPlain ? JSONFragment(payload) : try? selected(place.part, of: place.pipeline, payload)
            else { return nil }
            times.use(copy: copy, as: "part `\(place.part.name)`")
            pieces.append(JSONFragment.Member(place.part.member, value))
            copies.append(HeldCopy(copy, for: partKey))
        }
        // An assembly says why there is none.
        guard let payload = try? assembled(pieces) else { return nil }
        let parts = { @Sendable [copies, now] in zip(places, copies).map { $0.outcome(of: $1.entry, for: $1.key, at: now) } }
        if let observer = invalidation.commons.observer { for part in parts() { part.outcome?.reportAtHand(to: observer) } }
        let entry = Entry(
            payload, created: times.created ?? now, freshUntil: times.freshUntil, source: CompositeSpec.placeName,
            cacheControl: times.cacheControl)
        return (entry, Composition(notKept: times.notKept, ofParts: parts))
    }

    private func key(of place: MemoryPlace, for key: Key) -> Key? {
        let given = key.parameters
        return try? self.key(of: place.part, in: place.pipeline, given) { argument throws(SourceError) in try argument.given(given) }
    }
}
