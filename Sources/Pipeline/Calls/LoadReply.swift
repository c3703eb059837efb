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

    /// What kept a load from more than it came to.
    package enum Obstacle: Sendable {
        /// The fetch's deadline ended it.
        case deadline
        /// The policy by which origins may not be asked, and no cache has a copy.
        case unasked(FetchPolicy)
        /// The reason why links of the value cannot be followed.
        indirect case links(SourceError)
        /// The reason why the source is not asked again for now: its circuit is open.
        case circuit(String)

        /// Why a fetch ended that failed because of it; nil where that is a failure like others.
        fileprivate var failure: LoadError.Kind? {
            switch self {
            case .deadline: .deadlineExceeded
            case .unasked: .offline
            case .links(let error): error.kind == .timeout ? .deadlineExceeded : .linkFailed
            case .circuit: nil
            }
        }
    }

    /// How the load ran beside its reply: before this one joined it, and after this reply.
    struct Course: Sendable {
        /// The load that still runs, when this reply came before its end.
        var ongoing: Task<Void, Never>?
        /// How the load ends, where this reply came before its end.
        var ending: LoadEnding?
        /// For how long the origin's load had run when this one joined it; nil for a load of its own.
        var joined: Duration?

        /// Whether nothing is known of what goes on.
        var isOver: Bool { ongoing == nil && ending == nil }

        /// The course without what goes on.
        var past: Course { Course(joined: joined) }

        /// For how long the load had run when a fetch joined it after `joined`: one that joined another is as old as that.
        func joined(after joined: Duration?) -> Duration? { joined.map { $0 + (self.joined ?? .zero) } ?? self.joined }
    }

    /// The answer.
    package var answer: Answer
    /// The source that gave it; nil when none did.
    package var source: String?
    /// The trail of what was tried and found.
    package var trail: Trail
    /// The writes it caused; nil without any.
    package var writes: WriteLog?
    /// Whether the value must be refreshed in the background.
    var wantsRefresh = false
    /// How the load ran beside it.
    var course = Course()
    /// Whether the value is a default of a last resort.
    package var isSubstitute = false
    /// What kept it from more; nil where nothing did. A deadline that passed is told before a circuit or a policy.
    package var obstacle: Obstacle?
    /// What the source knows of the answer beside the entry; nil where that is nothing.
    package var detail: (any ReplyDetail)?

    @inline(__always)
    package init(_ answer: Answer, from source: String? = nil, attempts: [Attempt], detail: (any ReplyDetail)? = nil) {
        self.answer = answer
        self.source = source
        self.detail = detail
        trail = Trail(attempts)
    }

    /// The attempts, in order.
    package var attempts: [Attempt] {
        get { trail.attempts }
        set { trail.attempts = newValue }
    }

    /// The copies that were found expired.
    package var expired: [ExpiredCopy] {
        get { trail.expired }
        set { trail.expired = newValue }
    }

    /// The value that was found, fresh or stale.
    var entry: Entry? {
        switch answer {
        case .value(let entry), .stale(let entry, _): entry
        case .notFound, .none, .failed: nil
        }
    }

    /// The value that was found, without what was laid over it for the caller.
    package var base: Entry? {
        guard let under = detail?.under else { return entry }
        return under.entry
    }

    /// Indicates whether it is a fresh value.
    package var isValue: Bool { if case .value = answer { true } else { false } }

    /// Whether this is an answer: a value, or the information that there is none.
    var isAnswer: Bool {
        switch answer {
        case .value, .stale, .notFound: true
        case .none, .failed: false
        }
    }

    /// Why a fetch ended with this failure.
    package func failure(isFinal: Bool) -> LoadError.Kind {
        obstacle?.failure ?? (isFinal ? .tierFailed : .everyTierFailed)
    }

    /// Whether the fetch's deadline ended it.
    var isPastDeadline: Bool { obstacle?.failure == .deadlineExceeded }

    /// Why links of the value cannot be followed; nil where they can, or were not to be.
    var linkError: SourceError? { if case .links(let error)? = obstacle { error } else { nil } }

    /// The policy by which origins may not be asked, where it has no value because of that.
    var unasked: FetchPolicy? { if case .unasked(let policy)? = obstacle { policy } else { nil } }

    /// Why the source is not asked again for now; nil unless its circuit is open.
    var circuitReason: String? { if case .circuit(let reason)? = obstacle { reason } else { nil } }

    /// Notes what kept it from more, unless that was the deadline.
    mutating func meet(_ obstacle: Obstacle) { if !isPastDeadline { self.obstacle = obstacle } }

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

extension LoadReply {
    /// The reply of a fetch that may ask no origin: where no copy is fresh, the newest one of any age; without any, a failure that says so.
    package func offline(at now: Timestamp) -> LoadReply {
        if isAnswer { return self }
        guard let copy = expired.filter({ $0.entry.payload != nil }).max(by: { $0.entry.created < $1.entry.created }) else {
            var reply = self
            if !hasFailed { reply.answer = .failed(isFinal: false) }
            reply.meet(.unasked(.offline))
            return reply
        }
        return serving(copy, at: now, because: "policy \(FetchPolicy.offline.rawValue)")
    }
}

/// A copy that a tier holds and that is no longer fresh.
package struct ExpiredCopy: Sendable {
    package let source: String
    package let entry: Entry
    /// When it stopped being fresh.
    let since: Timestamp
    /// Whether it counts as expired only because this process may have missed an invalidation message about it.
    var isUnconfirmed = false

    /// Why it is not fresh.
    func reason(at now: Timestamp) -> String {
        if entry.created > now { return "created in the future" }
        return isUnconfirmed ? "stored before this process subscribed" : "expired \(now.duration(since: since).rounded) ago"
    }
}
