/// The limits that a source sets itself at one origin. Sources that ask the same origin share its controller, and the strictest of their
/// limits holds.
public struct OriginLimits: Hashable, Sendable {
    /// The number of requests that may be under way at once.
    public enum Concurrency: Hashable, Sendable {
        /// A limit that the measured times decide, from `begin` on, and never more than `max`.
        case auto(begin: Int = 6, max: Int = 256)
        /// A fixed limit.
        case fixed(Int)

        /// The value at which an automatic limit begins, and its end; a fixed limit is both.
        var bounds: (begin: Int, most: Int) {
            switch self {
            case .auto(let begin, let most): (Swift.max(1, min(begin, most)), Swift.max(1, most))
            case .fixed(let limit): (Swift.max(1, limit), Swift.max(1, limit))
            }
        }

        var isAutomatic: Bool { if case .auto = self { true } else { false } }

        /// The stricter of two: an automatic limit under a fixed one stays automatic.
        func strictest(_ other: Concurrency) -> Concurrency {
            switch (self, other) {
            case (.fixed(let one), .fixed(let two)): .fixed(min(one, two))
            case (.auto(let begin, let most), .auto(let otherBegin, let otherMost)):
                .auto(begin: min(begin, otherBegin), max: min(most, otherMost))
            case (.auto(let begin, let most), .fixed(let limit)), (.fixed(let limit), .auto(let begin, let most)):
                .auto(begin: min(begin, limit), max: min(most, limit))
            }
        }
    }

    /// The requests that are held back for a while after 429 and 503, from the least on.
    public enum Rest: String, Hashable, Sendable, CaseIterable {
        /// No one.
        case none
        /// The source that was told so, with the credentials that it sent; the origin when two sources were, or nothing else answers.
        case source
        /// All that ask the origin.
        case origin

        /// The stricter of two.
        func strictest(_ other: Rest) -> Rest {
            self == .origin || other == .origin ? .origin : self == .source || other == .source ? .source : .none
        }
    }

    /// The number of requests that may be under way at once.
    public var concurrency: Concurrency
    /// The number of requests that may wait; beyond, the newest of the least important is refused.
    public var queue: Int
    /// The number of requests that may begin in a second, on average; nil without a limit.
    public var rate: Double?
    /// The number of requests that may begin at once after a pause, if there is a ``rate``.
    public var burst: Int
    /// The number of retries and hedges that are allowed for each answered request, from 0 to 1. Five are in reserve.
    public var retryBudget: Double
    /// The requests that are held back after 429 and 503.
    public var rest: Rest

    /// The limits of a source whose file says nothing, but for what is given.
    public init(
        concurrency: Concurrency = .auto(), queue: Int = 1_000, rate: Double? = nil, burst: Int = 1, retryBudget: Double = 0.2,
        rest: Rest = .source
    ) {
        self.concurrency = concurrency
        self.queue = queue
        self.rate = rate
        self.burst = burst
        self.retryBudget = retryBudget
        self.rest = rest
    }

    /// Both limits at once: of each, the stricter one.
    public func strictest(_ other: OriginLimits) -> OriginLimits {
        OriginLimits(
            concurrency: concurrency.strictest(other.concurrency), queue: min(queue, other.queue),
            rate: [rate, other.rate].compactMap(\.self).min(), burst: strictestBurst(other),
            retryBudget: min(retryBudget, other.retryBudget), rest: rest.strictest(other.rest))
    }

    /// A burst limits nothing without a rate.
    private func strictestBurst(_ other: OriginLimits) -> Int {
        if rate == nil { return other.burst }
        return other.rate == nil ? burst : min(burst, other.burst)
    }
}
