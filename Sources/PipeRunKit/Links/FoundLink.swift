internal import Pipeline

/// A link of a value, and one target that it leads to.
struct FoundLink: Sendable {
    /// What caches have of a target, or why there is none.
    enum State: String {
        /// A fresh copy, or the knowledge that there is none: following it asks no origin.
        case fresh
        /// An expired copy.
        case stale
        /// Nothing.
        case none
        /// The reference is null.
        case null
        /// There is no reference, or it is an empty list.
        case absent
        /// The reference cannot be followed.
        case invalid
    }

    let name: String
    let pipeline: String
    /// The target; nil where a reference is null, absent or an empty list, and where it cannot be followed.
    let key: Key?
    let state: State
    /// Why the reference cannot be followed.
    var problem: String?

    /// The links of the value of `outcome`, in the order of the file, each target once. No target is loaded: the caches are asked.
    static func all(in outcome: Outcome, of pipeline: DataPipeline, among pipelines: Pipelines) async throws -> [FoundLink] {
        var found: [FoundLink] = []
        for link in pipeline.spec.links {
            let targets: [LinkTarget]
            do {
                targets = try pipeline.targets(of: link, in: outcome)
            } catch {
                targets = [.invalid(error.reason)]
            }
            let keys = targets.compactMap { if case .key(let key) = $0 { key } else { nil } }
            let states = try await states(of: keys, in: pipelines, called: link.pipeline)
            found += targets.map { target in
                switch target {
                case .key(let key): FoundLink(name: link.name, pipeline: link.pipeline, key: key, state: states[key] ?? .none)
                case .null: FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .null)
                case .absent: FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .absent)
                case .invalid(let reason):
                    FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .invalid, problem: reason)
                }
            }
        }
        return found
    }

    private static func states(of keys: [Key], in pipelines: Pipelines, called name: String) async throws -> [Key: State] {
        guard !keys.isEmpty else { return [:] }
        let outcomes = try await pipelines.pipeline(named: name).fetch(many: keys, policy: .cacheOnly)
        return Dictionary(zip(keys, outcomes.map(state))) { first, _ in first }
    }

    private static func state(of outcome: Outcome) -> State {
        switch outcome.result {
        case .value: outcome.isStale ? .stale : .fresh
        case .notFound where outcome.answer != nil: .fresh
        case .notFound, .failed: outcome.hasExpiredCopy ? .stale : .none
        }
    }
}

extension Outcome {
    /// Whether a cache has an expired copy, of the value or of a part that it is made from.
    fileprivate var hasExpiredCopy: Bool {
        attempts.contains { $0.outcome == .expired } || parts.contains { $0.outcome?.hasExpiredCopy ?? false }
    }
}
