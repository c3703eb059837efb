internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// How processes that share a cache share loads.
    var sharedFlights: [Sentence] {
        sharers.map { tier, lease, ground in
            Sentence(
                text:
                    "Of several processes that find no fresh copy in \(tier.quoted), one loads; the others wait for its copy there. When that "
                    + "process dies, one of them loads after \(Self.words(lease)) at the latest.", grounds: [ground])
        }
    }

    /// Why a fetch may have to wait for loads of other processes before it loads itself: as long as they load, which has no limit of its own.
    var groundsOfWaiting: [Ground] { sharers.map(\.ground) }

    /// The tiers in which processes share loads.
    private var sharers: [(tier: TierPlan, lease: Duration, ground: Ground)] {
        asked.enumerated().compactMap { index, tier in
            guard let sharing = sharings[tier.name], let lease = sharing.lease,
                asked[(index + 1)...].contains(where: { $0.writesBackTo.contains(tier.name) })
            else { return nil }
            return (tier, lease, ground(sharing.leaseRange))
        }
    }

    /// What invalidation messages of other processes mean for the age of a value.
    var publishedAges: [Sentence] {
        let publishing = plan.tiers.filter { sharings[$0.name]?.publishes == true }
        guard let first = publishing.first, let sharing = sharings[first.name] else { return [] }
        let own = plan.tiers.filter { tier in tier.isCache && !publishing.contains { $0.name == tier.name } }
        guard !own.isEmpty else { return [] }
        let names = Self.listed(own.map(\.quoted), "or")
        return [
            Sentence(
                text:
                    "What another process removes, puts or refreshes is dropped from \(names) as soon as \(first.quoted) publishes that; while "
                    + "the connection is lost, a copy is served as long as said above.", grounds: [ground(sharing.publishesRange)]),
            Sentence(
                text:
                    "A copy in \(names) that was stored before the process subscribed, or subscribed again, counts as expired until it is confirmed.",
                grounds: [ground(sharing.publishesRange)]),
        ]
    }

    /// Copies that another credential of the environment was given.
    var foreignCopies: [Sentence] {
        asked.filter { !$0.isCache }.compactMap { origin in
            guard let credential = origin.source.sentCredential else { return nil }
            let caches = targets(of: origin).filter { $0.policy.reads && $0.source.mixesCredentials }
            guard !caches.isEmpty else { return nil }
            let names = Self.listed(caches.map(\.quoted), "or")
            return Sentence(
                text:
                    "A copy in \(names) may be one that another `\(credential.variable)` was given: it is kept under the parameters, not under "
                    + "what \(origin.quoted) is sent.", grounds: [.place(credential.range)])
        }
    }

    private func ground(_ range: TextRange?) -> Ground { range.map(Ground.place) ?? .byDefault }
}
