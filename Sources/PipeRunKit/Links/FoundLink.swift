internal import Pipeline

/// A link of a value, and one target that it leads to.
struct FoundLink: Sendable {
    /// What caches have of a target.
    enum State: String {
        /// A fresh copy, or the knowledge that there is none: following it asks no origin.
        case fresh
        /// An expired copy.
        case stale
        /// Nothing, or there is no target.
        case none
    }

    let name: String
    let pipeline: String
    /// The target; nil where the reference is null, absent or an empty list, and where it cannot be followed.
    let key: Key?
    let state: State
    /// Why the link cannot be followed.
    var problem: String?

    /// The links of the value of `outcome`, in the order of the file, each target once. No target is loaded: the caches are asked.
    static func all(in outcome: Outcome, of pipeline: DataPipeline, among pipelines: Pipelines) async throws -> [FoundLink] {
        var found: [FoundLink] = []
        for link in pipeline.spec.links {
            do {
                let keys = try pipeline.targets(of: link, in: outcome)
                let states = try await states(of: keys, in: pipelines.pipeline(named: link.pipeline))
                found += zip(keys, states).map { FoundLink(name: link.name, pipeline: link.pipeline, key: $0, state: $1) }
                if keys.isEmpty { found.append(FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .none)) }
            } catch let error as SourceError {
                found.append(FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .none, problem: error.reason))
            }
        }
        return found
    }

    private static func states(of keys: [Key], in pipeline: DataPipeline) async throws -> [State] {
        guard !keys.isEmpty else { return [] }
        return try await pipeline.fetch(many: keys, policy: .cacheOnly).map { outcome in
            switch outcome.result {
            case .value: outcome.isStale ? .stale : .fresh
            case .notFound where outcome.answer != nil: .fresh
            case .notFound, .failed: outcome.hasExpiredCopy ? .stale : .none
            }
        }
    }
}

extension Outcome {
    /// Whether a cache has an expired copy, of the value or of a part that it is made from.
    fileprivate var hasExpiredCopy: Bool {
        attempts.contains { $0.outcome == .expired } || parts.contains { $0.outcome?.hasExpiredCopy ?? false }
    }
}
