/// What came of following one link, for traces: how many values, where they came from, and in how many batches.
package struct FollowedLink: Sendable {
    /// The names that lead to it, `comments.author`.
    package let path: LinkPath
    /// The pipeline of the values; nil where there was no reference.
    package private(set) var pipeline: String?
    /// How many different values the link leads to.
    package private(set) var count = 0
    /// How many came from each source, in the order in which the first of each came.
    package private(set) var sources: [(name: String, count: Int)] = []
    /// How many are not there.
    package private(set) var notFound = 0
    /// How many could not be loaded.
    package private(set) var failed = 0
    private var calls: Set<BatchCall> = []

    init(_ path: LinkPath) { self.path = path }

    /// In how many batches its origins were asked for values.
    package var batchCount: Int { calls.count }

    /// How many values came in these batches that were not asked for.
    package var ignored: Int { calls.reduce(0) { $0 + $1.ignored } }

    /// How many had been loaded for another link of the same fetch.
    package var known: Int { max(0, count - sources.reduce(notFound + failed) { $0 + $1.count }) }

    /// Counts a value that was loaded for this link.
    mutating func add(_ outcome: Outcome) {
        switch outcome.result {
        case .value: add(aCopyIn: outcome.source ?? "")
        case .notFound: notFound += 1
        case .failed: failed += 1
        }
        guard !outcome.isAtHand else { return }
        calls.formUnion(outcome.attempts.compactMap(\.call))
    }

    /// Counts a value that the link leads to.
    mutating func add(aValueOf pipeline: @autoclosure () -> String) {
        if self.pipeline == nil { self.pipeline = pipeline() }
        count += 1
    }

    /// Counts a reference that is none.
    mutating func addInvalid(_ pipeline: String) {
        add(aValueOf: pipeline)
        failed += 1
    }

    /// Counts a value that a source had, or gave.
    mutating func add(aCopyIn source: String) {
        if let index = sources.firstIndex(where: { $0.name == source }) {
            sources[index].count += 1
        } else {
            sources.append((source, 1))
        }
    }
}

/// One call of an origin for several keys: the attempts of all of them have the same one.
final class BatchCall: Sendable, Hashable {
    /// How many values came that were not asked for.
    let ignored: Int

    init(ignored: Int = 0) { self.ignored = ignored }

    static func == (left: BatchCall, right: BatchCall) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
