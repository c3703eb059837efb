/// The knowledge of a source about its answer beside the entry, such as what it was made from. It goes with the reply into the outcome.
package protocol ReplyDetail: AnyObject, Sendable {
    /// Why the value counts as stale; nil for a fresh one.
    var staleReason: String? { get }
    /// Why no cache may keep the answer; nil where caches may.
    var notKept: String? { get }
    /// Whether nothing is lacking in the answer.
    var isComplete: Bool { get }
    /// Whether it would be another answer with more time.
    var isCut: Bool { get }
    /// The permit for writing the answer, where that may become worthless before it is written.
    func bound(_ permit: Generations.WritePermit) -> Generations.WritePermit
    /// This detail where something else is the answer; `entry` is nil if that is that there is none.
    func replaced(by entry: Entry?) -> any ReplyDetail
    /// This detail where there is no answer, also from the tiers after it.
    var unused: any ReplyDetail { get }
    /// The part of it that observers of the value are told.
    var told: any ReplyDetail { get }
    /// Indicates whether observers are told the same by `other`; one that is nil tells them nothing. Times and attempts do not count.
    func saysSame(as other: (any ReplyDetail)?) -> Bool
    /// The answer and its detail below what was laid over them for the caller; nil if nothing was.
    var under: (entry: Entry?, detail: (any ReplyDetail)?)? { get }
}

extension ReplyDetail {
    /// Nothing was laid over the answer.
    package var under: (entry: Entry?, detail: (any ReplyDetail)?)? { nil }
}
