/// What one tier did for one fetch.
public struct Attempt: Sendable {
    /// The result, as it stands in traces and envelopes.
    ///
    /// New cases may come: switch with a `default`.
    public enum Outcome: String, Sendable, CaseIterable {
        /// It gave the value.
        case hit
        /// It gave an expired copy that a stale window allows.
        case stale
        /// It has a copy that is no longer fresh.
        case expired
        /// It has none.
        case miss
        /// It is sure that there is none.
        case notFound = "not_found"
        /// What it has cannot be used.
        case invalid
        /// It could not answer.
        case error
        /// A time limit ended it.
        case timeout
        /// It was not asked.
        case skipped
    }

    /// The name of the source.
    public let source: String
    /// What the source did: one of the words that traces and envelopes have.
    public let outcome: Outcome
    /// How long it took; zero for an answer from memory without a wait.
    public internal(set) var duration: Duration
    /// Why, for `error`, `timeout`, `invalid`, `skipped`, `stale`, and where there is more to say: `not modified` for a `hit` that confirmed
    /// a copy.
    public internal(set) var reason: String?
    /// The beginning of what the other side said about a failure, on one line: at most 200 bytes of the body of a failed answer, or of one that is no
    /// value.
    public let detail: String?
    /// The error behind it, as the source threw it.
    public let error: (any Error)?
    /// How often the source was tried; more than once only where the tier retries.
    package internal(set) var tries: Int
    /// The call of an origin for several keys that it was part of; nil for one of its own.
    var call: BatchCall?

    /// An attempt of `source`.
    package init(
        _ source: String, _ outcome: Outcome, duration: Duration = .zero, reason: String? = nil, detail: String? = nil,
        error: (any Error)? = nil, tries: Int = 1
    ) {
        self.source = source
        self.outcome = outcome
        self.duration = duration
        self.reason = reason
        self.detail = detail
        self.error = error
        self.tries = tries
    }

    /// Says more beside its own reason.
    mutating func add(reason more: String) { reason = reason.map { "\($0), \(more)" } ?? more }
}

extension Attempt {
    /// What ``reason`` says, or begins with, where a copy was confirmed.
    static let confirmation = "not modified"

    /// Whether the source confirmed a copy instead of giving the value once more.
    package var isConfirmation: Bool { outcome == .hit && reason?.hasPrefix(Self.confirmation) == true }
}

extension Attempt: CustomStringConvertible {
    /// `disk: error (permission denied)`.
    public var description: String {
        "\(source): \(outcome.rawValue)" + (reason.map { " (\($0))" } ?? "")
    }
}
