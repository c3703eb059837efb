/// What one cache did with an answer.
public struct WriteRecord: Sendable {
    /// The result, as it stands in traces and envelopes.
    ///
    /// New cases may come: switch with a `default`.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The cache holds it.
        case written
        /// It will be written: it is debounced, or written in the background.
        case scheduled
        /// The cache held the same value, and has its new times: the value itself was not written again.
        case renewed
        /// The cache holds the same value, fresh and confirmed no earlier: nothing was written.
        case unchanged
        /// The cache could not be written.
        case failed
        /// It was not written on purpose.
        case skipped
    }

    /// The name of the source.
    public let source: String
    /// What became of the copy in this cache.
    public let outcome: Outcome
    /// Why, for `failed` and `skipped`.
    public let reason: String?
    /// The error behind it, as the source threw it.
    public let error: (any Error)?
    /// Whether it is written after the same write had failed.
    package var isRecovery = false

    init(_ source: String, _ outcome: Outcome, reason: String? = nil, error: (any Error)? = nil) {
        self.source = source
        self.outcome = outcome
        self.reason = reason
        self.error = error
    }

    /// The record as it stands when the wait is over: a write that has not ended failed, for `reason`.
    package func givenUp(because reason: String) -> WriteRecord {
        outcome == .scheduled ? WriteRecord(source, .failed, reason: reason) : self
    }
}

extension WriteRecord: CustomStringConvertible {
    /// `disk: failed (no space left)`.
    public var description: String {
        "\(source): \(outcome.rawValue)" + (reason.map { " (\($0))" } ?? "")
    }
}
