/// What became of one part of a composite, or of one value that a link leads to.
public struct PartOutcome: Sendable {
    /// How a part can end.
    ///
    /// New cases may come: switch with a `default`.
    public enum Ending: String, Sendable, CaseIterable {
        /// It has a value, fresh or stale.
        case value
        /// There is none.
        case notFound = "not_found"
        /// It failed: an error, a timeout, a value that cannot be used.
        case failed
        /// It was not asked, since what it depends on has no value, or was not waited for, since the result was certain without it.
        case skipped
    }

    /// Why a part has no value that can be used.
    package struct Problem: Sendable, Hashable {
        /// The code of a failed fetch (``LoadError/Kind``), `timeout` where the part's own timeout ended it, `invalid`, `error` or `skipped`.
        package let code: String
        /// In words.
        package let message: String
    }

    /// Where it stands in the whole, as a JSON Pointer (RFC 6901).
    public let at: String
    /// The name of its pipeline.
    public let pipeline: String
    /// Its key; nil for one that was not asked.
    public let key: Key?
    /// How it ended.
    public let ending: Ending
    /// Whether its default took its place.
    public let usesDefault: Bool
    /// The fetch of it; nil for one that was not asked, or not waited for.
    public let outcome: Outcome?
    /// Why it failed or was not asked; nil for a part with a value, and for one that is not found.
    package let problem: Problem?
    /// Whether the whole lacks something for it.
    package let isDegraded: Bool
    /// What came of each link that was followed in its value.
    package let links: [FollowedLink]

    /// The code of a failed fetch (``LoadError/Kind``), `timeout` where the part's own timeout ended it, `invalid`, `error` or `skipped`; nil
    /// for a part with a value, and for one that is not found.
    public var code: String? { problem?.code }
    /// Why it failed or was not asked, in words; nil when ``code`` is nil.
    public var message: String? { problem?.message }

    /// Whether reports name it: it has no value.
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

    /// The same within a whole that has the value at `place`.
    func moved(to place: String) -> PartOutcome { placed(at: place + at) }

    /// The same where nothing was made from it.
    var unused: PartOutcome {
        PartOutcome(at: at, pipeline, key, ending, usesDefault: usesDefault, outcome: outcome, problem: problem, links: links)
    }

    /// The same at another place.
    func placed(at place: String) -> PartOutcome {
        PartOutcome(
            at: place, pipeline, key, ending, usesDefault: usesDefault, outcome: outcome, problem: problem, isDegraded: isDegraded,
            links: links)
    }
}

/// A value that a link leads to and that is not there.
public struct MissingTarget: Sendable, Hashable {
    /// Where the followed value stands, or would, as a JSON Pointer.
    public let at: String
    /// The name of the pipeline that has none.
    public let pipeline: String
    /// The id, as text.
    public let id: String

    /// The same within a whole that has the value at `place`.
    func moved(to place: String) -> MissingTarget { placed(at: place + at) }

    /// The same at another place.
    func placed(at place: String) -> MissingTarget { MissingTarget(at: place, pipeline: pipeline, id: id) }
}
