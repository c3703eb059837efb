internal import Pipeline
internal import PipelineConfig
import PipelineLive

/// The points that can be reached at one feed of a pipeline.
struct CoveredFeed {
    let plan: FeedPlan

    private var name: String { plan.source.name }
    private var feed: FeedConfig { plan.feed }

    /// Each point with the field that it belongs to; nil for the feed itself.
    var points: [(id: CoveragePoint.ID, field: String?)] {
        // One that goes by the clock alone is never lost, and has no messages.
        if plan.source.isReal { return [(CoveragePoint.ID(name, "live"), nil)] }
        let messages = feed.merging == nil ? [] : ["merged", "unchanged", "kept", "dropped"]
        var branches = ["live", "down", "live again", "refresh"] + messages
        if readsContents { branches.append("skipped") }
        return branches.map { (CoveragePoint.ID(name, $0), nil) }
            + policies.flatMap { field, branches in
                branches.map { (CoveragePoint.ID.feed(field, of: name, $0), field) }
            }
    }

    private var readsContents: Bool {
        feed.merging != nil || feed.sequence != nil || feed.resync != nil || !feed.addressing.isEmpty
    }

    private var policies: [(field: String, branches: [String])] {
        var policies: [(String, [String])] = []
        if let merging = feed.merging {
            policies.append(("op", merging.drawnOperations.map { Self.word($0.operation) }))
            if merging.drawnOperations.contains(where: { $0.operation == .upsert }) {
                policies.append(("insert", [merging.insertion.branch]))
            }
            if merging.version != nil { policies.append(("version", ["older"])) }
        }
        if !feed.addressing.isEmpty { policies.append(("for", ["this key", "another key"])) }
        if feed.sequence != nil { policies.append(("sequence", ["gap", "duplicate"])) }
        if feed.resync != nil { policies.append(("resync", ["asked"])) }
        if feed.confirms { policies.append(("confirms", ["confirmed"])) }
        return policies
    }

    /// The points that a message reached.
    func points(of meaning: MessageFate.Meaning) -> [CoveragePoint.ID] {
        func policy(_ field: String, _ branch: String) -> CoveragePoint.ID { .feed(field, of: name, branch) }
        func message(_ branch: String) -> CoveragePoint.ID { CoveragePoint.ID(name, branch) }
        switch meaning {
        case .change(let operation, let effect, let isKnown, let hasVersion):
            let addressed = feed.addressing.isEmpty ? [] : [policy("for", "this key")]
            let isUpsert = operation == .upsert
            switch effect {
            case .changed:
                let inserted = isUpsert && !isKnown ? [policy("insert", "inserted")] : []
                return addressed + [message("merged"), policy("op", Self.word(operation))] + inserted
            case .unchanged:
                let isIgnored = isUpsert && !isKnown && feed.merging?.insertion == .ignore
                let isOlder = feed.merging?.version != nil && hasVersion && operation != .delete && !isIgnored
                return addressed + [message("unchanged")] + (isOlder ? [policy("version", "older")] : [])
                    + (isIgnored ? [policy("insert", "ignored")] : [])
            case .kept: return addressed + [message("kept")]
            case .dropped: return addressed + [message("dropped")]
            case .refresh: return addressed + [message("refresh")] + (isUpsert ? [policy("insert", "refresh")] : [])
            case .failed, .faulty: return addressed + [message("skipped")]
            case .overflowed: return addressed
            }
        case .refresh: return (feed.addressing.isEmpty ? [] : [policy("for", "this key")]) + [message("refresh")]
        case .resync: return [policy("resync", "asked")]
        case .gap: return [policy("sequence", "gap")]
        case .duplicate: return [policy("sequence", "duplicate")]
        case .skipped: return [message("skipped")]
        case .elsewhere: return feed.addressing.isEmpty ? [] : [policy("for", "another key")]
        }
    }

    private static func word(_ operation: Change.Operation) -> String {
        switch operation {
        case .upsert: "upsert"
        case .delete: "delete"
        case .patch: "patch"
        }
    }
}

extension MergePolicy {
    /// Each operation that a message can name, with a word for it; nil if messages name none.
    var drawnOperations: [(operation: Change.Operation, word: String?)] {
        guard let operations else { return [(.upsert, nil)] }
        let all: [(Change.Operation, String?)] = [
            (.upsert, operations.upsert.first), (.delete, operations.delete.first), (.patch, operations.patch.first),
        ]
        return all.filter { $0.1 != nil }
    }
}

extension MergePolicy.Insertion {
    /// The branch for an item that the list lacks.
    fileprivate var branch: String {
        switch self {
        case .refresh: "refresh"
        case .ignore: "ignored"
        case .first, .last, .sorted: "inserted"
        }
    }
}
