internal import Pipeline
package import PipelineConfig

extension PipelineFacts {
    /// The way in which processes that share a cache share loads.
    var sharedFlights: [Sentence] {
        sharers.map { tier, lease, ground in
            Sentence(
                text:
                    "Of several processes that find no fresh copy in \(tier.quoted), one loads; the others wait for its copy there. When that "
                    + "process dies, one of them loads after \(Self.words(lease)) at the latest.", grounds: [ground])
        }
    }

    /// The grounds for which a fetch may have to wait for loads of other processes before it loads itself: as long as they load, which has
    /// no limit of its own.
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

    /// The meaning of invalidation messages of other processes for the age of a value.
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

/// The services of a source for several processes that use it.
package struct SourceSharing: Hashable {
    /// The time after which another process loads when one that loads has died; nil if each loads for itself.
    var lease: Duration?
    /// The place where `shared_flight` is written.
    var leaseRange: TextRange?
    /// Indicates whether removals are published.
    var publishes = false
    /// The place where `invalidation` is written.
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
