internal import Pipeline

extension PipelineFacts {
    /// How processes that share a cache share loads.
    var sharedFlights: [Sentence] {
        sharers.map { tier, lease, ground in
            Sentence(
                text:
                    "Of several processes that find no fresh copy in \(tier.quoted), one loads; the others wait for its copy there, at most "
                    + "\(Self.words(lease)), and once more when another takes over.", grounds: [ground])
        }
    }

    /// How long a fetch waits at most for loads of other processes, before it loads itself; nil where it never does.
    var longestWait: (limit: Duration, grounds: [Ground])? {
        let sharers = sharers
        return sharers.isEmpty ? nil : (sharers.map { $0.lease * 2 }.reduce(.zero, +), sharers.map(\.ground))
    }

    /// The tiers in which processes share loads.
    private var sharers: [(tier: TierPlan, lease: Duration, ground: Ground)] {
        asked.enumerated().compactMap { index, tier in
            guard let sharing = sharings[tier.name], let lease = sharing.lease,
                asked[(index + 1)...].contains(where: { $0.writesBackTo.contains(tier.name) })
            else { return nil }
            return (tier, lease, ground(sharing.leaseRange))
        }
    }

    /// What announcements of other processes mean for the age of a value.
    var announcedAges: [Sentence] {
        let telling = plan.tiers.filter { sharings[$0.name]?.announces == true }
        guard let first = telling.first, let sharing = sharings[first.name] else { return [] }
        let own = plan.tiers.filter { tier in tier.isCache && !telling.contains { $0.name == tier.name } }
        guard !own.isEmpty else { return [] }
        let names = Self.listed(own.map(\.quoted), "or")
        return [
            Sentence(
                text:
                    "What another process removes, puts or refreshes is dropped from \(names) as soon as \(first.quoted) announces it; while "
                    + "the connection is lost, a copy is served as long as said above.", grounds: [ground(sharing.announcesRange)]),
            Sentence(
                text:
                    "A copy in \(names) that was stored before the process began to listen, or before it did so again, counts as expired until "
                    + "it is confirmed.", grounds: [ground(sharing.announcesRange)]),
        ]
    }

    private func ground(_ range: TextRange?) -> Ground { range.map(Ground.place) ?? .byDefault }
}
