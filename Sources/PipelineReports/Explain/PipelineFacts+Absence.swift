internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// The meaning of `not_found`.
    var absence: [Sentence] {
        let sayers = asked.filter(\.saysNotFound)
        var sentences: [Sentence] = []
        if !sayers.isEmpty {
            let names = Self.listed(sayers.map(\.quoted), "or")
            let text = "When \(names) says that there is no value, the fetch ends with not_found"
            let consequences = consequences(of: sayers)
            sentences.append(
                Sentence(
                    text: text + (consequences.isEmpty ? "." : ": \(consequences.joined(separator: ", and "))."),
                    grounds: [.always]))
            sentences += self.sentences(.notFoundTTL)
        }
        sentences += askedOrigins.flatMap { self.sentences(.onNotFound, of: $0) }
        guard asked.allSatisfy(\.canMiss) else { return sentences }
        return sentences + [
            Sentence(
                text: "When every tier was asked, none failed and none has a value, the value is not found.", grounds: [.always])
        ]
    }

    /// The consequences that a missing value does not have, and could have.
    private func consequences(of sayers: [TierPlan]) -> [String] {
        let hasLower = asked.dropLast().contains { tier in sayers.contains { $0.name == tier.name } }
        let hasStale = !askedCaches.isEmpty && ifError != nil
        return [hasLower ? "nothing below is asked" : nil, hasStale ? "no stale copy takes its place" : nil].compactMap(\.self)
    }

    /// The meaning for an origin whose word is not the answer.
    func exception(of origin: TierPlan) -> [Sentence] {
        let meaning: String
        switch origin.policy.onNotFound {
        case .stop: return []
        case .next: meaning = "that is no answer: the next tier is asked, no copy is removed, and nothing is remembered."
        case .fail: meaning = "it counts as failed, except for its circuit breaker: no copy is removed, and nothing is remembered."
        }
        return [
            Sentence(
                text: "When \(origin.quoted) says that there is no value, \(meaning)", grounds: [ground(.onNotFound, of: origin)])
        ]
    }

    var remembering: [Sentence] {
        let sayers = asked.filter(\.saysNotFound)
        let caches = plan.tiers.filter { cache in sayers.contains { $0.writesBackTo.contains(cache.name) } }
        let limit = plan.policy.notFoundTTL.flatMap { $0 > .zero ? $0 : nil }
        let able = limit == nil ? [] : caches.filter { $0.can(.keepsNotFound) && !$0.keepsNothing }
        let others = caches.filter { cache in !able.contains { $0.name == cache.name } }
        var sentences: [Sentence] = []
        if let limit {
            sentences += able.map { cache in
                let kept = min(limit, cache.policy.ttl ?? limit)
                return Sentence(
                    text: "\(cache.quoted) remembers that for \(Self.words(kept)).",
                    grounds: kept < limit ? [ground(.notFoundTTL), ground(.ttl, of: cache)] : [ground(.notFoundTTL)])
            }
        }
        if able.isEmpty {
            let reason = limit == nil ? "" : ": no cache that is written can"
            sentences.append(
                Sentence(text: "It is not remembered\(reason); the next fetch asks again.", grounds: [ground(.notFoundTTL)]))
        }
        if !others.isEmpty {
            sentences.append(
                Sentence(
                    text: "Copies of the value that \(Self.listed(others.map(\.quoted), "or")) still has are removed.", grounds: [.always]))
        }
        return sentences
    }
}
