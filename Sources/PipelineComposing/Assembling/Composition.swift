public import Pipeline
public import PipelineLive
/// What there is to say of an answer that was made from others.
final class Composition: ReplyDetail {
    private let known: [PartOutcome]
    /// Makes ``parts``, which few ask for, of copies at hand; nil if they are known.
    private let made: (@Sendable () -> [PartOutcome])?
    /// What became of each part.
    var parts: [PartOutcome] { made?() ?? known }
    let missing: [MissingTarget]
    let isComplete: Bool
    let staleReason: String?
    let notKept: String?
    let isCut: Bool
    /// What makes writes of the answer worthless when a part changes before they end; nil where no cache may hold the answer.
    let validity: Validity?
    /// What it was made from, where a cache may keep that: the text of ``MadeFrom``.
    let madeFrom: String?
    /// What came of each link that was followed in the value itself, not in a part.
    let links: [FollowedLink]
    /// What became of the parts of a whole that failed, where something else is the answer.
    let attempted: [PartOutcome]

    init(
        _ parts: [PartOutcome], missing: [MissingTarget] = [], isComplete: Bool = true, staleReason: String? = nil, notKept: String? = nil,
        isCut: Bool = false, validity: Validity? = nil, madeFrom: String? = nil, links: [FollowedLink] = [],
        attempted: [PartOutcome] = []
    ) {
        (known, made) = (parts, nil)
        (self.missing, self.isComplete, self.notKept, self.attempted) = (missing, isComplete, notKept, attempted)
        (self.staleReason, self.isCut, self.validity, self.madeFrom, self.links) = (staleReason, isCut, validity, madeFrom, links)
    }

    /// The detail of a value that was made from fresh copies at hand, which lacks nothing.
    init(notKept: String?, ofParts make: @escaping @Sendable () -> [PartOutcome]) {
        (known, made, missing, isComplete, self.notKept, attempted) = ([], make, [], true, notKept, [])
        (staleReason, isCut, validity, madeFrom, links) = (nil, false, nil, nil, [])
    }

    /// The detail of a copy that lacked something when it was made; nil for another one.
    convenience init?(of copy: Entry) {
        if copy.missingTargets.isEmpty { return nil }
        self.init([], missing: copy.missingTargets)
    }

    /// Without the values of its parts.
    var told: any ReplyDetail {
        Composition(parts.filter(\.isToldOf), missing: missing, isComplete: isComplete, attempted: attempted.filter(\.isToldOf))
    }

    func saysSame(as other: (any ReplyDetail)?) -> Bool {
        let other = other as? Composition
        return isComplete == other?.isComplete ?? true && missing == other?.missing ?? []
            && parts.elementsEqual(other?.parts ?? []) { $0.saysSame(as: $1) }
    }

    func bound(_ permit: Generations.WritePermit) -> Generations.WritePermit { validity.map(permit.bound) ?? permit }

    /// Nothing lacks a part.
    var unused: any ReplyDetail { Composition(parts.map(\.unused)) }

    /// That was not made from these parts: they belong to the attempt.
    func replaced(by entry: Entry?) -> any ReplyDetail { Composition([], missing: entry?.missingTargets ?? [], attempted: parts) }
}

extension ReplyDetail {
    /// What the answer was made from, also below what is laid over it.
    fileprivate var composition: Composition? { self as? Composition ?? under?.detail?.composition }
}

extension LoadReply {
    /// What the answer was made from; nil for one that was not made from others.
    var composition: Composition? {
        get { detail?.composition }
        set { detail = newValue }
    }
}

extension Outcome {
    var composition: Composition? { detail?.composition }

    /// The outcomes of the parts that the value was made from, in the order of the composite, and of followed values that failed. Empty for
    /// a value that a cache had or another tier gave, and for a pipeline that combines nothing.
    public var parts: [PartOutcome] { composition?.parts ?? [] }

    /// The outcomes of the parts of a composite that failed, if a tier below it or a stale copy is the answer: the attempt of `combine`.
    package var attemptedParts: [PartOutcome] { composition?.attempted ?? [] }

    /// The targets of followed links that are not there. Of a composite that a cache had, those that were not there when it was made.
    public var missing: [MissingTarget] { composition?.missing ?? answer?.missingTargets ?? [] }

    /// The results of each link that was followed in the value, in the order of the paths.
    package var links: [FollowedLink] { composition?.links ?? [] }

    /// Indicates whether the fetch assembled a composite, or followed links.
    package var isCombined: Bool { composition != nil }
}

extension LiveStatus {
    private var composition: Composition? { detail?.composition }

    /// The parts of a composite that have no value, and followed values that failed.
    public var parts: [PartOutcome] { composition?.parts ?? [] }

    /// The targets of followed links that are not there.
    public var missing: [MissingTarget] { composition?.missing ?? [] }

    /// The parts of a composite that failed, where something else is the answer: what the attempt of `combine` did.
    package var attempted: [PartOutcome] { composition?.attempted ?? [] }
}
