/// The worth of a tier's copy, or of an origin's answer, at a moment.
package enum Verdict: Sendable {
    /// There is no copy.
    case missing
    /// The copy cannot be used, for this reason.
    case invalid(String)
    /// The copy may be served until then; nil without a limit.
    case fresh(until: Timestamp?)
    /// Fresh, and old enough to be refreshed in the background.
    case due(until: Timestamp?)
    /// The copy is a fresh `not_found`.
    case notFound(until: Timestamp?)
    /// The copy expired then, and `stale_while_revalidate` allows it.
    case stale(since: Timestamp)
    /// The copy expired then.
    case expired(since: Timestamp)
    /// The copy was created in the future, by a clock that was ahead.
    case early

    /// What the answer of an origin is worth, which is as fresh as can be.
    ///
    /// - Parameter format: what its payload must be; nil for one that is known to be that.
    init(ofAnswer entry: Entry?, checking format: PayloadFormat?) {
        guard let entry else {
            self = .missing
            return
        }
        let empty = entry.status == 204 ? "empty (as the answer 204 is)" : "empty"
        if let payload = entry.payload, let problem = format?.problem(of: payload, empty: empty) {
            self = .invalid(problem)
        } else {
            self = entry.isNotFound ? .notFound(until: entry.freshUntil) : .fresh(until: entry.freshUntil)
        }
    }

    /// Until when the copy is fresh; nil without a limit, and for one that is not fresh.
    package var freshUntil: Timestamp? {
        switch self {
        case .fresh(let limit), .due(let limit), .notFound(let limit): limit
        case .missing, .invalid, .stale, .expired, .early: nil
        }
    }

    /// Indicates whether the copy may be served as fresh.
    package var isFresh: Bool {
        switch self {
        case .fresh, .due, .notFound: true
        case .missing, .invalid, .stale, .expired, .early: false
        }
    }
}
