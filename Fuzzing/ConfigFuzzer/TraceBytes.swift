import Pipeline
import PipelineSimulation

/// Bytes as a trace.
enum TraceBytes {
    /// The first byte names the format, the second one the size of the chunks: they give what the whole gives, in the order of time.
    static func check(_ bytes: [UInt8]) {
        guard bytes.count > 2 else { return }
        var rules = TraceRules()
        let formats = TraceFormat.allCases
        let choice = Int(bytes[0]) % (formats.count + 1)
        rules.format = choice < formats.count ? formats[choice] : nil
        rules.limit = 10_000
        let reader = TraceReader(PipelineSpec("friends", parameters: ["user"], tiers: []), rules)
        Effort.check(bytes) { _ = read($0, 1 << 18, reader) }
        let trace = read(bytes, 1 << 18, reader)
        let parts = read(bytes, 1 + Int(bytes[1]) % 64, reader)
        require(trace?.requests == parts?.requests && trace?.keys == parts?.keys, "in chunks, the trace is another")
        guard let trace else { return }
        require(!trace.requests.isEmpty && trace.requests[0].time == 0, "the trace does not begin at 0")
        require(zip(trace.requests, trace.requests.dropFirst()).allSatisfy { $0.time <= $1.time }, "requests are out of order")
        require(trace.requests.allSatisfy { trace.keys.indices.contains(Int($0.key)) && $0.size >= 0 }, "a request has no key, or no size")
        require(Set(trace.keys).count == trace.keys.count, "a key has two numbers")
    }

    private static func read(_ bytes: [UInt8], _ size: Int, _ reader: TraceReader) -> Trace? {
        try? reader.read(Array(bytes.dropFirst(2)), chunks: size)
    }
}
