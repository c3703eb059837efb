/// What one variant did in one block.
public struct ComparedRun: Sendable {
    /// Of its requests: from the planned start in an open load, from the start in a closed one.
    public internal(set) var latencies = LatencySample()
    /// How many requests each source answered with a value; none that joined a load.
    public internal(set) var answered: [String: Int] = [:]
    /// Requests that waited for a load that ran already, which gave a value.
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
