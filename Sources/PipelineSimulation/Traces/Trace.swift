public import Pipeline

/// Requests in the order of their times, for the keys of one pipeline. Requests of the same time stand in the file's order.
public struct Trace: Sendable {
    /// The keys, each once, in the order in which they first come.
    public let keys: [Key]
    /// The requests; the first one is at 0.
    public let requests: [TraceRequest]
    /// Indicates whether the file says when the requests were made. Otherwise they are evenly spread.
    public let isTimed: Bool
    /// The parts of the file that are not in the requests.
    public let omitted: Omissions

    /// The parts of a file that are not in the requests of its trace.
    public struct Omissions: Hashable, Sendable {
        /// Requests that came more than the window of sorting too late in the file.
        public var late = 0
        /// Lines and records that are no requests of this pipeline: other methods, other pipelines, other answers.
        public var other = 0
        /// Pipelines that such lines are requests of, the first three.
        public var pipelines: [String] = []
        /// Requests left out by `--skip`.
        public var skipped = 0

        /// Makes omissions of nothing.
        public init() {}
    }

    /// A trace of these requests.
    public init(keys: [Key], requests: [TraceRequest], isTimed: Bool = true, omitted: Omissions = Omissions()) {
        self.keys = keys
        self.requests = requests
        self.isTimed = isTimed
        self.omitted = omitted
    }

    /// The time from the first request to the last one; zero for a trace without requests.
    public var duration: Duration { .nanoseconds(requests.last?.time ?? 0) }
}

/// One request of a trace: 24 bytes, so that millions fit in memory.
public struct TraceRequest: Hashable, Sendable {
    /// The operation of a request.
    public enum Operation: UInt8, Hashable, Sendable {
        /// Fetches the value of the key.
        case fetch
        /// Writes a value for the key.
        case put
        /// Removes the copies of the key.
        case remove
    }

    /// Nanoseconds since the first request of the trace.
    public var time: Int64
    /// Bytes of the payload; 0 where the trace does not say.
    public var size: Int64
    /// The place of the key in ``Trace/keys``.
    public var key: Int32
    /// The operation of the request.
    public var operation: Operation
    /// The policy of a fetch: what it may read and write.
    public var policy: FetchPolicy

    /// A request for the key at `key` of the trace.
    public init(time: Int64, key: Int32, size: Int64 = 0, operation: Operation = .fetch, policy: FetchPolicy = .default) {
        self.time = time
        self.key = key
        self.size = size
        self.operation = operation
        self.policy = policy
    }
}
