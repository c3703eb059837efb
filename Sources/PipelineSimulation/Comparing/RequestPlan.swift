public import Pipeline

/// The requests of the runs of a comparison. Each variant is asked the same in each block.
public struct RequestPlan: Sendable {
    /// Gives the requests of a run, or of the warm-up before it, by the number of its block.
    public typealias Requests = @Sendable (_ block: Int, _ isWarmUp: Bool) -> [TraceRequest]

    /// The keys that requests name by their place.
    public let keys: [Key]
    /// The requests: in an open load, each with its time since the start, in order. In a closed load they come one after the other, from
    /// the start again if they do not suffice.
    public let requests: Requests

    /// A plan that asks for `keys`.
    public init(keys: [Key], requests: @escaping Requests) {
        (self.keys, self.requests) = (keys, requests)
    }

    /// The keys in this order, at even distances, from the first again after the last.
    ///
    /// - Parameter count: how many requests one run has.
    public init(cycling keys: [Key], count: Int, rate: Double) {
        self.init(keys: keys) { block, isWarmUp in
            // The warm-up asks for what comes before the run.
            let first = (2 * block + (isWarmUp ? 0 : 1)) * count
            return (0..<count).map { TraceRequest(time: Int64(Double($0) / rate * 1e9), key: Int32((first + $0) % max(1, keys.count))) }
        }
    }

    /// The fetches of `trace`, in pieces of `duration`, from its start again after its end.
    public init(_ trace: Trace, duration: Duration) {
        let fetches = trace.requests.filter { $0.operation == .fetch }
        let length = duration.saturatedNanoseconds
        let whole = Self.period(of: trace, fetches: fetches.count)
        self.init(keys: trace.keys) { block, isWarmUp in
            let start = Int64(2 * block + (isWarmUp ? 0 : 1)) * length
            return Self.piece(of: fetches, repeatedEvery: whole, from: start, length: length)
        }
    }

    /// The number of nanoseconds after which `trace` begins again: its last request is followed by the first after the mean distance, and
    /// by a millisecond if all come at one time.
    private static func period(of trace: Trace, fetches: Int) -> Int64 {
        let length = trace.duration.saturatedNanoseconds
        return length == 0 ? 1_000_000 : length + length / Int64(max(1, fetches - 1)) + 1
    }

    /// The number of fetches of `trace` that come in `duration`, on average.
    public static func count(of trace: Trace, in duration: Duration) -> Double {
        let fetches = trace.requests.count { $0.operation == .fetch }
        return Double(fetches) * (duration / .nanoseconds(period(of: trace, fetches: fetches)))
    }

    private static func piece(of requests: [TraceRequest], repeatedEvery whole: Int64, from start: Int64, length: Int64) -> [TraceRequest] {
        guard !requests.isEmpty else { return [] }
        var piece: [TraceRequest] = []
        var offset = start / whole * whole
        while offset < start + length {
            for request in requests where start..<start + length ~= offset + request.time {
                var moved = request
                moved.time += offset - start
                piece.append(moved)
            }
            offset += whole
        }
        return piece
    }
}
