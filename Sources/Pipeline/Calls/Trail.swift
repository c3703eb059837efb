/// The attempts and finds of tiers, in the order of asking: of those before the one that is asked, or of those that gave a reply.
package struct Trail: Sendable {
    /// The attempts so far.
    package var attempts: [Attempt] = []
    /// The copies that were found expired.
    var expired: [ExpiredCopy] = []
    /// What the first tier had at hand before the load began; nil when it must be asked.
    var looked: Looked?

    /// A trail with these attempts.
    package init(_ attempts: [Attempt] = []) { self.attempts = attempts }

    /// A trail to a value that is known already: an origin that can confirm it does not have to send it again.
    init(knowing entry: Entry?, from source: String?, at now: Timestamp) {
        if let entry, let source { expired = [ExpiredCopy(source: source, entry: entry, since: now)] }
    }

    /// The trail to the tiers after those of `next`.
    func followed(by next: Trail) -> Trail {
        var sum = self
        sum.looked = nil
        sum.attempts += next.attempts
        sum.expired += next.expired
        return sum
    }

    /// The trail as it was before any tier was asked.
    var unasked: Trail {
        var trail = self
        trail.looked = nil
        return trail
    }

    /// Whether this tier was asked. It has no fresh copy then, and is written without a comparison.
    func asked(_ source: String) -> Bool { attempts.contains { $0.source == source && $0.outcome != .skipped } }

    /// Whether this tier could not answer.
    func failed(_ source: String) -> Bool { attempts.contains { $0.source == source && $0.isFailure } }

    /// Whether this tier has no copy at all: there is nothing to remove.
    func lacks(_ source: String) -> Bool { attempts.contains { $0.source == source && $0.hasNoCopy } }
}

extension Attempt {
    /// Whether the source could not be asked or did not answer; a damaged copy is an answer.
    fileprivate var isFailure: Bool {
        switch outcome {
        case .error, .timeout, .skipped: true
        case .hit, .stale, .expired, .miss, .notFound, .invalid: false
        }
    }
}

/// What the first tier had at hand when a fetch began, before there was a load. The load takes it over where nothing has changed since.
enum Looked: Sendable {
    case missing(ended: UInt64)
    indirect case found(Entry, ended: UInt64)
    indirect case failed(any Error, ended: UInt64)

    /// - Parameter ended: how many loads had ended or were detached before the tier was read, as ``Flights/endedCount`` says.
    init(_ entry: Entry?, ended: UInt64) {
        self = entry.map { .found($0, ended: ended) } ?? .missing(ended: ended)
    }

    /// Whether the tier has nothing.
    var isMissing: Bool { if case .missing = self { true } else { false } }

    /// What was found; nil where the tier has nothing. Throws why it could not be read.
    var entry: Entry? {
        get throws {
            switch self {
            case .missing: nil
            case .found(let entry, _): entry
            case .failed(let error, _): throw error
            }
        }
    }

    /// How many loads had ended before the tier was read.
    var ended: UInt64 {
        switch self {
        case .missing(let ended), .found(_, let ended), .failed(_, let ended): ended
        }
    }
}
