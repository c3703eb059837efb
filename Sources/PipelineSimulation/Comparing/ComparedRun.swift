/// What one variant did in one block.
public struct ComparedRun: Sendable {
    /// Of each request, in nanoseconds: from its planned start in an open load, from its start in a closed one.
    public internal(set) var latencies: [Int64] = []
    /// How many requests each source answered; none that joined a load.
    public internal(set) var answered: [String: Int] = [:]
    /// Requests that waited for a load that ran already.
    public internal(set) var joined = 0
    /// Answers that had expired. They count for their source, too.
    public internal(set) var stale = 0
    /// Requests without an answer.
    public internal(set) var failed = 0
    /// Requests for what there is not.
    public internal(set) var notFound = 0
    /// Requests that began more than ``LoadGenerator/lateness`` after their planned start, so that this machine is a part of their latency.
    public internal(set) var late = 0
    /// How often each origin was asked.
    public internal(set) var originCalls: [String: Int] = [:]
    /// The warm-up before it; nil without one.
    public internal(set) var warmUp: WarmUp?
    /// Why the first of the failed requests failed.
    public internal(set) var failure: String?

    /// How many requests there were.
    public var requests: Int { latencies.count }
}

/// The requests before a run, which bring its caches to where they stay.
public struct WarmUp: Sendable, Hashable {
    /// How long it took.
    public let duration: Duration
    /// Whether the share of hits had become steady; otherwise it went on for as long as a run may take.
    public let isSteady: Bool

    /// So many windows in a row must agree.
    static let windows = 3

    /// Whether the shares of hits in the last three windows agree within a hundredth.
    static func isSteady(_ shares: [Double]) -> Bool {
        let last = shares.suffix(windows)
        guard last.count == windows, let least = last.min(), let most = last.max() else { return false }
        return most - least <= 0.01
    }
}
