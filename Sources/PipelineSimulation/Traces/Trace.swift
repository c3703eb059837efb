public import Pipeline

/// Requests in the order of their times, for the keys of one pipeline. Requests of the same time stand in the file's order.
public struct Trace: Sendable {
    /// The keys, each once, in the order in which they first come.
    public let keys: [Key]
    /// The requests; the first one is at 0.
    public let requests: [TraceRequest]
    /// Whether the file says when the requests were made. Otherwise they are evenly spread.
    public let isTimed: Bool
    /// What of the file is not in the requests.
    public let omitted: Omissions

    /// What of a file is not in the requests of its trace.
    public struct Omissions: Hashable, Sendable {
        /// Requests that came more than the window of sorting too late in the file.
        public var late = 0
        /// Lines and records that are no requests of this pipeline: other methods, other pipelines, other answers.
        public var other = 0
        /// Requests left out by `--skip`.
        public var skipped = 0

        /// Nothing was left out.
        public init() {}
    }

    /// A trace of these requests.
    public init(keys: [Key], requests: [TraceRequest], isTimed: Bool = true, omitted: Omissions = Omissions()) {
        self.keys = keys
        self.requests = requests
        self.isTimed = isTimed
        self.omitted = omitted
    }

    /// From the first request to the last one; zero for a trace without requests.
    public var duration: Duration { .nanoseconds(requests.last?.time ?? 0) }
}
