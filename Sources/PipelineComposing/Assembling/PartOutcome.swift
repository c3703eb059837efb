public import Pipeline
import PipelineLive
/// The outcome of one part of a composite, or of one value that a link leads to.
public struct PartOutcome: Sendable {
    /// The end of a part.
    ///
    /// New cases may come: switch with a `default`.
    public enum Ending: String, Sendable, CaseIterable {
        /// The part has a value, fresh or stale.
        case value
        /// There is none.
        case notFound = "not_found"
        /// The part failed: an error, a timeout, a value that cannot be used.
        case failed
        /// The part was not asked, since what it depends on has no value, or was not waited for, since the result was certain without it.
        case skipped
    }

    /// The reason why a part has no value that can be used.
    package struct Problem: Sendable, Hashable {
        /// The code of a failed fetch (`LoadError.Kind`), `timeout` where the part's own timeout ended it, `invalid`, `error` or `skipped`.
        package let code: String
        /// In words.
        package let message: String
    }

    /// The place of the part in the composite, as a JSON Pointer (RFC 6901).
    public let at: String
    /// The name of its pipeline.
    public let pipeline: String
    /// The key of the part; nil for one that was not asked.
    public let key: Key?
    /// The end of the part.
    public let ending: Ending
    /// Indicates whether its default took its place.
    public let usesDefault: Bool
    /// The fetch of it; nil for one that was not asked, or not waited for.
    public let outcome: Outcome?
    /// The reason why it failed or was not asked; nil for a part with a value, and for one that is not found.
    package let problem: Problem?
    /// Indicates whether the composite lacks something for it.
    package let isDegraded: Bool
    /// The results of each link that was followed in its value.
    package let links: [FollowedLink]

    /// The code of a failed fetch (`LoadError.Kind`), `timeout` where the part's own timeout ended it, `invalid`, `error` or `skipped`; nil
    /// for a part with a value, and for one that is not found.
    public var code: String? { problem?.code }
    /// The reason why it failed or was not asked, in words; nil if ``code`` is nil.
    public var message: String? { problem?.message }

    /// Indicates whether reports name it: it has no value.
    package var isToldOf: Bool { ending != .value }

    init(
        at: String, _ pipeline: String, _ key: Key?, _ ending: Ending, usesDefault: Bool = false, outcome: Outcome? = nil,
        problem: Problem? = nil, isDegraded: Bool = false, links: [FollowedLink] = []
    ) {
        (self.at, self.pipeline, self.key, self.ending) = (at, pipeline, key, ending)
        (self.usesDefault, self.outcome, self.problem, self.isDegraded) = (usesDefault, outcome, problem, isDegraded)
        self.links = links
    }

    /// Whether reports of both say the same. Times and attempts do not count.
    func saysSame(as other: PartOutcome) -> Bool {
        at == other.at && pipeline == other.pipeline && key == other.key && ending == other.ending && usesDefault == other.usesDefault
            && problem == other.problem && isDegraded == other.isDegraded
    }

    /// This outcome within a composite that has the value at `place`.
    func moved(to place: String) -> PartOutcome { placed(at: place + at) }

    /// This outcome where nothing was made from the part.
    var unused: PartOutcome {
        PartOutcome(at: at, pipeline, key, ending, usesDefault: usesDefault, outcome: outcome, problem: problem, links: links)
    }

    /// This outcome at another place.
    func placed(at place: String) -> PartOutcome {
        PartOutcome(
            at: place, pipeline, key, ending, usesDefault: usesDefault, outcome: outcome, problem: problem, isDegraded: isDegraded,
            links: links)
    }
}

/// A value that a link leads to and that is not there.
public struct MissingTarget: Sendable, Hashable {
    /// The place where the followed value stands, or would, as a JSON Pointer.
    public let at: String
    /// The name of the pipeline that has none.
    public let pipeline: String
    /// The id, as text.
    public let id: String

    /// This target within a composite that has the value at `place`.
    func moved(to place: String) -> MissingTarget { placed(at: place + at) }

    /// This target at another place.
    func placed(at place: String) -> MissingTarget { MissingTarget(at: place, pipeline: pipeline, id: id) }
}
