/// A fetch that failed: every tier with what it did.
public struct LoadError: Error, Sendable, CustomStringConvertible {
    /// The reason why the fetch ended.
    ///
    /// New cases may come: switch with a `default`.
    public enum Kind: String, Sendable {
        /// Every tier was asked, and at least one failed.
        case everyTierFailed = "every_tier_failed"
        /// A tier failed that says `on_error: fail`.
        case tierFailed = "tier_failed"
        /// The time for the fetch was over.
        case deadlineExceeded = "deadline_exceeded"
        /// The value is there, and a link in it that was to be followed cannot be: ``LoadError/description`` says why.
        case linkFailed = "link_failed"
        /// No cache has a copy, and the policy was ``FetchPolicy/offline``, or for a part or a link ``FetchPolicy/cacheOnly``.
        case offline
    }

    /// The key that was fetched.
    public let key: Key
    /// The reason why the fetch ended.
    public let kind: Kind
    /// The attempts of the tiers, in order, with the errors as the sources threw them.
    public let attempts: [Attempt]
    /// The reason why a link of the value cannot be followed, with the name of the link and the pointer; nil if the value itself failed.
    package internal(set) var linkError: SourceError?
    /// The policy by which origins were not asked, where that is why it failed.
    var unasked: FetchPolicy?

    package init(key: Key, kind: Kind, attempts: [Attempt], linkError: SourceError? = nil, unasked: FetchPolicy? = nil) {
        (self.key, self.kind, self.attempts, self.linkError, self.unasked) = (key, kind, attempts, linkError, unasked)
    }

    /// The moment when the first of the origins that asked not to be asked for a while may be asked again, on the time line of
    /// ``PipelineClock/now``; nil if none did. The origins of a part because of which a composite failed count, too.
    package var earliestRetry: Timestamp? { (attempts.map(\.error) + [linkError]).compactMap { Self.earliestRetry(after: $0) }.min() }

    private static func earliestRetry(after error: (any Error)?) -> Timestamp? {
        switch error {
        case let error as SourceError: error.retry.earliest ?? earliestRetry(after: error.cause)
        case let error as LoadError: error.earliestRetry
        default: nil
        }
    }

    /// The reason why the fetch ended, and every attempt.
    public var description: String {
        if let linkError {
            return (kind == .deadlineExceeded ? "the deadline for `\(key)` passed: " : "a link of `\(key)` cannot be followed: ")
                + linkError.reason
        }
        let reason =
            switch kind {
            case .everyTierFailed: "no tier could answer for `\(key)`"
            case .tierFailed: "`\(attempts.last?.source ?? "")` failed for `\(key)`, and nothing below it is asked"
            case .deadlineExceeded: "the deadline for `\(key)` passed"
            case .linkFailed: "a link of `\(key)` cannot be followed"
            case .offline where unasked == .cacheOnly: "no cache has `\(key)`, and origins were not asked"
            case .offline: "offline, and no copy of `\(key)`"
            }
        return reason + ": " + attempts.map(\.description).joined(separator: "; ")
    }
}
