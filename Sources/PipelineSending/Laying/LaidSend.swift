public import Pipeline
public import PipelineLive

/// A send whose effect is seen in a value that the origin does not have yet.
public struct LaidSend: Sendable, Hashable {
    /// The id of the send.
    public let id: String
    /// The name of its kind.
    public let send: String
    /// Its state: ``SendState/waiting``, ``SendState/sending`` or ``SendState/held``.
    public let state: SendState
    /// The order of the sends of an outbox.
    package let number: Int64

    package init(_ row: SendRow) { (id, send, state, number) = (row.id, row.name, row.state, row.number) }
}

/// The detail of an answer that sends are laid over.
final class LaidSends: ReplyDetail {
    let sends: [LaidSend]
    /// Indicates whether the load failed below.
    let hasNoBase: Bool
    private let base: Entry?
    private let detail: (any ReplyDetail)?

    init(_ sends: [LaidSend], over base: Entry?, _ detail: (any ReplyDetail)?, hasNoBase: Bool = false) {
        (self.sends, self.base, self.detail, self.hasNoBase) = (sends, base, detail, hasNoBase)
    }

    var under: (entry: Entry?, detail: (any ReplyDetail)?)? { (base, detail) }
    var staleReason: String? { detail?.staleReason }
    /// No composite is kept that is made from what is laid over.
    var notKept: String? { detail?.notKept ?? "it has sends that wait" }
    var isComplete: Bool { detail?.isComplete ?? true }
    var isCut: Bool { detail?.isCut ?? false }
    func bound(_ permit: Generations.WritePermit) -> Generations.WritePermit { detail?.bound(permit) ?? permit }
    func replaced(by entry: Entry?) -> any ReplyDetail { LaidSends(sends, over: base, detail?.replaced(by: entry)) }
    var unused: any ReplyDetail { LaidSends([], over: base, detail?.unused) }
    var told: any ReplyDetail { LaidSends(sends, over: nil, detail?.told) }

    func saysSame(as other: (any ReplyDetail)?) -> Bool {
        let known = other as? LaidSends
        return sends == known?.sends ?? [] && (detail?.saysSame(as: known?.detail ?? (known == nil ? other : nil)) ?? true)
    }
}

extension Outcome {
    /// The sends that are laid over the value, in the order in which they were taken in. Empty if the value is what its origins, feeds and
    /// `put` say of it.
    public var sends: [LaidSend] { (detail as? LaidSends)?.sends ?? [] }
}

extension LiveStatus {
    /// The sends that are laid over the value, in the order in which they were taken in. Empty if the value is what its origins, feeds and
    /// `put` say of it.
    public var sends: [LaidSend] { (detail as? LaidSends)?.sends ?? [] }
}
