import Pipeline
import PipelineLive

/// The result of following one link, for traces: how many values, where they came from, and in how many batches.
package struct FollowedLink: Sendable {
    /// The names that lead to it, `comments.author`.
    package let path: LinkPath
    /// The pipeline of the values; nil if there was no reference.
    package private(set) var pipeline: String?
    /// The number of different values that the link leads to.
    package private(set) var count = 0
    /// The number of values from each source, in the order in which the first of each came.
    package private(set) var sources: [(name: String, count: Int)] = []
    /// The number of values that are not there.
    package private(set) var notFound = 0
    /// The number of values that could not be loaded.
    package private(set) var failed = 0
    private var calls: Set<BatchCall> = []

    init(_ path: LinkPath) { self.path = path }

    /// In how many batches its origins were asked for values.
    package var batchCount: Int { calls.count }

    /// The number of values in these batches that were not asked for.
    package var ignored: Int { calls.reduce(0) { $0 + $1.ignored } }

    /// The number of values that had been loaded for another link of the same fetch.
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

/// A link that cannot be followed.
struct LinkError: Error {
    /// Why, with the name of the link and the pointer.
    let error: SourceError
    /// What the outcome says of the target, or of the reference.
    let part: PartOutcome

    /// Its target failed.
    ///
    /// - Parameter limit: what the time for it is, in words; nil for a deadline.
    init(_ failure: LoadError, of reference: LinkReference, _ key: Key, _ outcome: Outcome, within limit: String?) {
        let problem = PartOutcome.Problem(failure, within: limit)
        let at = reference.at
        let reason = "link `\(reference.link.spec.name)` at `\(at)`: \(problem.message)"
        error = SourceError(reason, kind: failure.kind == .deadlineExceeded ? .timeout : .failure, cause: failure)
        part = PartOutcome(at: at, key.pipeline, key, .failed, outcome: outcome, problem: problem)
    }

    /// Its reference is none, or its value has no place.
    ///
    /// - Parameters:
    ///   - place: the pointer to it.
    ///   - message: all of it, where the reason says too little.
    init(_ link: LinkSpec, at place: String, invalid reason: String, message: String? = nil) {
        error = SourceError(message ?? "link `\(link.name)` at `\(place)`: \(reason)", kind: .invalid)
        part = PartOutcome(
            at: place, link.pipeline, nil, .failed, usesDefault: link.defaultValue != nil,
            problem: PartOutcome.Problem(code: "invalid", message: reason), isDegraded: !link.isRequired)
    }
}

extension PartOutcome.Problem {
    /// What `failure` says.
    ///
    /// - Parameter limit: what the time for it is, in words; nil for a deadline.
    init(_ failure: LoadError, within limit: String?) {
        let isOverdue = failure.kind == .deadlineExceeded
        self.init(code: failure.kind.rawValue, message: isOverdue ? limit.map { "no answer within \($0)" } ?? "\(failure)" : "\(failure)")
    }
}
