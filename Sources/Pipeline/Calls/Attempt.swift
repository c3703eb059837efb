/// The attempt of one tier for one fetch.
public struct Attempt: Sendable {
    /// The result, as it stands in traces and envelopes.
    ///
    /// New cases may come: switch with a `default`.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The tier gave the value.
        case hit
        /// The tier gave an expired copy that a stale window allows.
        case stale
        /// The tier has a copy that is no longer fresh.
        case expired
        /// The tier has no copy.
        case miss
        /// The tier is sure that there is no value.
        case notFound = "not_found"
        /// The tier's value cannot be used.
        case invalid
        /// The tier could not answer.
        case error
        /// A time limit ended it.
        case timeout
        /// The tier was not asked.
        case skipped
    }

    /// The name of the source.
    public let source: String
    /// The outcome of the attempt: one of the words that traces and envelopes have.
    public let outcome: Outcome
    /// The time it took; zero for an answer from memory without a wait.
    public internal(set) var duration: Duration
    /// The reason, for `error`, `timeout`, `invalid`, `skipped`, `stale`, and where there is more to say: `not modified` for a `hit` that
    /// confirmed a copy.
    public internal(set) var reason: String?
    /// The beginning of what the other side said about a failure, on one line: at most 200 bytes of the body of a failed answer, or of one that is no
    /// value.
    public let detail: String?
    /// The error behind it, as the source threw it.
    public let error: (any Error)?
    /// The number of times the source was tried; more than once only if the tier retries.
    package internal(set) var tries: Int
    /// The call of an origin for several keys that it was part of; nil for one of its own.
    package var call: BatchCall?
    /// Whether the source has no copy at all, not even an expired one.
    var hasNoCopy = false

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

    /// Indicates whether the source confirmed a copy instead of giving the value once more.
    package var isConfirmation: Bool { outcome == .hit && reason?.hasPrefix(Self.confirmation) == true }
}

extension Attempt: CustomStringConvertible {
    /// `disk: error (permission denied)`.
    public var description: String {
        "\(source): \(outcome.rawValue)" + (reason.map { " (\($0))" } ?? "")
    }
}

extension [Attempt] {
    /// The attempts as those of a fetch that joined the load when that had run for `duration`.
    func joined(after duration: Duration) -> [Attempt] {
        guard let index = lastIndex(where: { $0.outcome != .skipped }) else { return self }
        let words = duration < .milliseconds(1) ? "joined a load that had just begun" : "joined a load of \(duration.inTenths) ago"
        var attempts = self
        attempts[index].add(reason: words)
        return attempts
    }
}

extension Duration {
    /// The duration as people say it: `1.2s`, to the tenth of a second below a minute.
    fileprivate var inTenths: String {
        guard self >= .seconds(1), self < .seconds(60) else { return rounded }
        let tenths = saturatedNanoseconds / 100_000_000
        return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + "s"
    }
}

/// One call of an origin for several keys: the attempts of all of them have the same one.
package final class BatchCall: Sendable, Hashable {
    /// How many values came that were not asked for.
    package let ignored: Int

    init(ignored: Int = 0) { self.ignored = ignored }

    package static func == (left: BatchCall, right: BatchCall) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
