/// What a whole was made from, where memory had a fresh copy of each part at hand: there is nothing to tell of them, and it lacks nothing.
final class PartsAtHand: ReplyDetail {
    private let copies: [NamedParts.Copy]
    private let now: Timestamp
    private let named: NamedParts
    let notKept: String?
    var staleReason: String? { nil }
    var isComplete: Bool { true }
    var isCut: Bool { false }

    init(_ copies: consuming [NamedParts.Copy], of named: NamedParts, at now: Timestamp, notKept: String?) {
        (self.copies, self.now, self.named, self.notKept) = (copies, now, named, notKept)
    }

    func bound(_ permit: Generations.WritePermit) -> Generations.WritePermit { permit }
    func replaced(by entry: Entry?) -> any ReplyDetail { composition.replaced(by: entry) }
    var unused: any ReplyDetail { composition.unused }

    /// What there is to say of them. Made each time that it is asked for: few ask.
    var composition: Composition {
        let parts = zip(named.hits, copies).map { hit, copy in
            let outcome = hit.outcome(of: copy, at: now)
            return PartOutcome(at: hit.part.at, hit.part.spec.pipeline, outcome.key, .value, outcome: outcome)
        }
        return Composition(parts, notKept: notKept)
    }
}
