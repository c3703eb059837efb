/// What there is to say of an answer that was made from others.
final class Composition: ReplyDetail {
    /// What became of each part.
    let parts: [PartOutcome]
    let missing: [MissingTarget]
    let isComplete: Bool
    let staleReason: String?
    let notKept: String?
    let isCut: Bool
    /// What makes writes of the answer worthless when a part changes before they end; nil where no cache may hold the answer.
    let validity: WholeValidity?
    /// What it was made from, where a cache may keep that: the text of ``MadeFrom``.
    let madeFrom: String?
    /// What came of each link that was followed in the value itself, not in a part.
    let links: [FollowedLink]
    /// What became of the parts of a whole that failed, where something else is the answer.
    let attempted: [PartOutcome]

    init(
        _ parts: [PartOutcome], missing: [MissingTarget] = [], isComplete: Bool = true, staleReason: String? = nil, notKept: String? = nil,
        isCut: Bool = false, validity: WholeValidity? = nil, madeFrom: String? = nil, links: [FollowedLink] = [],
        attempted: [PartOutcome] = []
    ) {
        self.parts = parts
        (self.missing, self.isComplete, self.notKept, self.attempted) = (missing, isComplete, notKept, attempted)
        (self.staleReason, self.isCut, self.validity, self.madeFrom, self.links) = (staleReason, isCut, validity, madeFrom, links)
    }

    /// What stays to be told of it, without the values of its parts.
    var told: Composition {
        Composition(parts.filter(\.isToldOf), missing: missing, isComplete: isComplete, attempted: attempted.filter(\.isToldOf))
    }

    func bound(_ permit: Generations.WritePermit) -> Generations.WritePermit { validity.map(permit.bound) ?? permit }

    /// Nothing lacks a part.
    var unused: any ReplyDetail { Composition(parts.map(\.unused)) }

    /// That was not made from these parts: they belong to the attempt.
    func replaced(by entry: Entry?) -> any ReplyDetail { Composition([], missing: entry?.missingTargets ?? [], attempted: parts) }
}

extension LoadReply {
    /// What the answer was made from; nil for one that was not made from others.
    var composition: Composition? {
        get { detail as? Composition }
        set { detail = newValue }
    }
}

extension Outcome {
    var composition: Composition? {
        switch detail {
        case let atHand as PartsAtHand: atHand.composition
        case let composition as Composition: composition
        default: nil
        }
    }

    /// What became of the parts that the value was made from, in the order of the whole, and of followed values that failed. Empty for a value
    /// that a cache had or another tier gave, and for a pipeline that combines nothing.
    public var parts: [PartOutcome] { composition?.parts ?? [] }

    /// What became of the parts of a whole that failed, where a tier below it or a stale copy is the answer: what the attempt of `combine` did.
    package var attemptedParts: [PartOutcome] { composition?.attempted ?? [] }

    /// The targets of followed links that are not there. Of a whole that a cache had, those that were not there when it was made.
    public var missing: [MissingTarget] { composition?.missing ?? answer?.missingTargets ?? [] }

    /// What came of each link that was followed in the value, in the order of the paths.
    package var links: [FollowedLink] { composition?.links ?? [] }

    /// Whether the fetch assembled a composite, or followed links.
    package var isCombined: Bool { detail != nil }
}
