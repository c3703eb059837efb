/// The result of a load, with the attempts it took.
package struct LoadReply: Sendable {
    /// The answer.
    package enum Answer: Sendable {
        /// A fresh value.
        case value(Entry)
        /// An expired copy that may be served, and why.
        case stale(Entry, reason: String)
        /// An origin said, now or recently, that there is no value.
        case notFound(Entry)
        /// No tier that was asked has a value, and none failed.
        case none
        /// A tier could not answer. A final failure ends the fetch.
        case failed(isFinal: Bool)
    }

    /// The answer.
    package var answer: Answer
    /// The source that gave it; nil when none did.
    package var source: String?
    /// What was tried, in order.
    package var attempts: [Attempt]
    /// The writes it caused; nil without any.
    package var writes: WriteLog?
    /// The copies that were found expired.
    var expired: [ExpiredCopy] = []
    /// The tiers that have no copy at all.
    var lacking: [String] = []
    /// Whether the value must be refreshed in the background.
    var wantsRefresh = false
    /// The load that still runs, when this reply came before its end.
    var ongoing: Task<Void, Never>?
    /// How the load ends, where this reply came before its end.
    var ending: LoadEnding?
    /// Whether the value is a default of a last resort.
    var isSubstitute = false
    /// Why the source is not asked again for now; nil unless its circuit is open.
    var circuitReason: String?
    /// Whether the fetch's deadline ended it.
    var isPastDeadline = false
    /// The policy by which origins may not be asked, where it has no value because of that: no cache has a copy.
    var unasked: FetchPolicy?
    /// What the source knows of the answer beside the entry; nil where that is nothing.
    var detail: (any ReplyDetail)?
    /// Why links of the value cannot be followed; nil where they can, or were not to be.
    var linkError = Boxed<SourceError>.none
    /// The reply to each request of a ``LoadRequest/batch``; nil where the whole failed.
    var members: [LoadReply]?
    /// For how long the origin's load had run when this one joined it; nil for a load of its own.
    var joined: Duration?

    @inline(__always)
    init(_ answer: Answer, from source: String? = nil, attempts: [Attempt]) {
        self.answer = answer
        self.source = source
        self.attempts = attempts
    }

    /// The value that was found, fresh or stale.
    var entry: Entry? {
        switch answer {
        case .value(let entry), .stale(let entry, _): entry
        case .notFound, .none, .failed: nil
        }
    }

    /// Whether this is an answer: a value, or the information that there is none.
    var isAnswer: Bool {
        switch answer {
        case .value, .stale, .notFound: true
        case .none, .failed: false
        }
    }

    /// Why a fetch ended with this failure.
    func failure(isFinal: Bool) -> LoadError.Kind {
        if isPastDeadline { return .deadlineExceeded }
        if linkError.value != nil { return .linkFailed }
        return unasked != nil ? .offline : isFinal ? .tierFailed : .everyTierFailed
    }

    /// Whether it is an expired copy that may be served.
    var isStale: Bool {
        if case .stale = answer { true } else { false }
    }

    /// Whether it is a failure.
    var hasFailed: Bool {
        if case .failed = answer { true } else { false }
    }

    /// What the last failure counts as; nil for an answer, and for a failure of which the source says nothing.
    var failureKind: SourceError.Kind? {
        guard case .failed = answer else { return nil }
        return (attempts.last?.error as? SourceError)?.kind
    }

    /// Whether the source was not asked because its circuit is open.
    var isRefusedByCircuit: Bool { circuitReason != nil && attempts.last?.outcome == .skipped }

    /// Whether the source was not asked: its circuit is open, or the request was refused before it was sent.
    var isUnasked: Bool {
        switch failureKind {
        case .skipped, .unasked: true
        default: isRefusedByCircuit
        }
    }

    /// What the failure says about another try.
    var retryAdvice: RetryAdvice { (attempts.last?.error as? SourceError)?.retry ?? .later() }

    /// Whether the next tier must be asked.
    var goesOn: Bool {
        switch answer {
        case .none, .failed(isFinal: false): true
        default: false
        }
    }
}
