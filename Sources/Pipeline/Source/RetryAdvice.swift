/// What a failure says about another try of the same read.
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

    private init(_ moment: Moment, refusal: @escaping @Sendable () -> String? = { nil }) {
        self.moment = moment
        self.refusal = refusal
    }

    /// No other try in this read: it would end in the same way, or could do harm.
    ///
    /// - Parameter moment: before which the other side asks not to be asked, on the time line of ``PipelineClock/now``. Readers of a later time
    ///   may try.
    public static func never(before moment: Timestamp? = nil) -> RetryAdvice { RetryAdvice(.never(before: moment)) }

    /// The request surely was not processed: once it is tried again without a pause, and that try is not counted. A second failure in a row
    /// is like ``later(notBefore:base:refusal:)``.
    public static let atOnce = atOnce { nil }

    /// The same, where the tries after the first one cost something.
    ///
    /// - Parameter refusal: as of ``later(notBefore:base:refusal:)``; not called for the try that is made at once.
    package static func atOnce(refusal: @escaping @Sendable () -> String?) -> RetryAdvice { RetryAdvice(.atOnce, refusal: refusal) }

    /// Another try may do better after the pause that the tier says.
    ///
    /// - Parameters:
    ///   - notBefore: the earliest moment for it, on the time line of ``PipelineClock/now``. A read that would have no time left then fails at
    ///     once, and says for how long it was asked to wait.
    ///   - base: the least first pause, where the tier's own is shorter.
    ///   - refusal: called before the pause, once for each try; may return why there is none, in words for the trace.
    public static func later(
        notBefore: Timestamp? = nil, base: Duration = .zero, refusal: @escaping @Sendable () -> String? = { nil }
    ) -> RetryAdvice {
        RetryAdvice(.later(notBefore: notBefore, base: base), refusal: refusal)
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
