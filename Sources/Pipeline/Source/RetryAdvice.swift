/// The advice of a failure about another try of the same read.
public struct RetryAdvice: Sendable {
    package enum Moment: Sendable {
        /// Not before then, either, where the other side said so.
        case never(before: Timestamp?)
        case atOnce
        case later(notBefore: Timestamp?, base: Duration)
    }

    package let moment: Moment
    /// Takes what another try costs; returns why there is none where that cannot be paid.
    package let refusal: @Sendable () -> String?
    /// Gives back what ``refusal`` took, where that try is not made after all.
    package let giveBack: @Sendable () -> Void

    private init(
        _ moment: Moment, refusal: @escaping @Sendable () -> String? = { nil }, giveBack: @escaping @Sendable () -> Void = {}
    ) {
        self.moment = moment
        self.refusal = refusal
        self.giveBack = giveBack
    }

    /// No retry in this read: it would fail in the same way, or could do harm.
    ///
    /// - Parameter moment: the earliest time for another request, where the other side named one, on the time line of ``PipelineClock/now``.
    ///   Later reads may try.
    public static func never(before moment: Timestamp? = nil) -> RetryAdvice { RetryAdvice(.never(before: moment)) }

    /// The request was certainly not processed: one retry follows without a pause, and is not counted. A second failure in a row is like
    /// ``later(notBefore:base:refusal:)``.
    public static let atOnce = atOnce { nil }

    /// A retry may succeed at once, and the tries after the first one cost something.
    ///
    /// - Parameter refusal: as of ``later(notBefore:base:refusal:)``; not called for the try that is made at once.
    package static func atOnce(refusal: @escaping @Sendable () -> String?) -> RetryAdvice { RetryAdvice(.atOnce, refusal: refusal) }

    /// A retry may succeed after the pause that the tier's policy sets.
    ///
    /// - Parameters:
    ///   - notBefore: the earliest time for it, on the time line of ``PipelineClock/now``, also when the policy's pauses are shorter. A read
    ///     without time left at that moment fails at once, and says how long it was asked to wait.
    ///   - base: the smallest base of the pauses, where that of the tier is shorter.
    ///   - refusal: called before each pause. Return why there is none, in words for the trace, or nil to allow it.
    public static func later(
        notBefore: Timestamp? = nil, base: Duration = .zero, refusal: @escaping @Sendable () -> String? = { nil }
    ) -> RetryAdvice {
        RetryAdvice(.later(notBefore: notBefore, base: base), refusal: refusal)
    }

    /// This advice, where a try that is not made after all costs nothing: `giveBack` is called then.
    package func givingBack(_ giveBack: @escaping @Sendable () -> Void) -> RetryAdvice {
        RetryAdvice(moment, refusal: refusal, giveBack: giveBack)
    }

    /// Whether the next try needs no pause.
    var isAtOnce: Bool { if case .atOnce = moment { true } else { false } }

    /// When the other side may be asked again, where it said so.
    var earliest: Timestamp? {
        switch moment {
        case .never(let moment), .later(let moment, _): moment
        case .atOnce: nil
        }
    }
}
