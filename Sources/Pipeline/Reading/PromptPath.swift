/// An origin that may have its answer at hand: a fetch has it then before there is a load.
package protocol PromptSource: Source {
    /// The answer as a read would give it now, with what there is to say of it; nil if that takes more than a look into memory.
    ///
    /// - Parameter now: a moment that ``PipelineClock/recent`` gave; becomes the exact time if that decides.
    func answer(for key: Key, at now: inout Timestamp) -> (entry: Entry, detail: any ReplyDetail)?
}

/// The shortest way to an answer that the origin of the first tier has at hand. A class: a fetch takes one reference, not one for each field.
final class PromptPath: Sendable {
    private let source: any PromptSource
    private let name: String
    private let attempts: [Attempt]
    private let clock: PipelineClock
    private let observer: PipelineEvent.Observer?

    /// Nil if something else is asked first, or decides more than the source.
    init?(_ tiers: [Tier]) {
        guard let tier = tiers.first, tier.policy.retry == nil, tier.breaker == nil, let source = tier.source as? any PromptSource else {
            return nil
        }
        (self.source, name, attempts) = (source, tier.name, [Attempt(tier.name, .hit)])
        (clock, observer) = (tier.clock, tier.observer)
    }

    /// The outcome for `key`; nil if there is more to do.
    func outcome(for key: Key) -> Outcome? {
        var now = clock.recent
        guard let (entry, detail) = source.answer(for: key, at: &now) else { return nil }
        let outcome = Outcome(LoadReply(.value(entry), from: name, attempts: attempts, detail: detail), for: key, at: now)
        if let observer { outcome.reportAtHand(to: observer) }
        return outcome
    }
}
