public import Pipeline

/// One request of a trace: 24 bytes, so that millions fit in memory.
public struct TraceRequest: Hashable, Sendable {
    /// What a request does.
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
    /// What the request does.
    public var operation: Operation
    /// What a fetch may read and write.
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
