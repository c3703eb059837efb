import Pipeline
import SourcesMemory

/// How many of a trace's requests the memory tier answers, beside a cache that lets the least recently used go, and the optimum.
enum EvictionRatios {
    private static let capacities = [500, 5_000]

    @concurrent
    static func rows() async throws -> [Row] {
        var rows: [Row] = []
        for trace in Trace.all {
            let keys = (0..<trace.keyCount).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }
            for capacity in capacities {
                let hits = try await hitsOfMemory(trace, keys: keys, capacity: capacity)
                let optimum = Optimum.hits(of: trace, capacity: capacity)
                rows.append(
                    row(
                        trace, capacity: capacity, hits: hits, recent: LeastRecentlyUsed.hits(of: trace, capacity: capacity),
                        optimum: optimum))
            }
        }
        return rows
    }

    private static func row(_ trace: Trace, capacity: Int, hits: Int, recent: Int, optimum: Int) -> Row {
        func share(_ hits: Int) -> String { (Double(hits) / Double(trace.requests.count)).percent }
        return Row(
            "hit ratio, \(trace.name), \(capacity) entries; floor: LRU",
            figure: share(hits), floor: share(recent), ratio: "optimum \(share(optimum))")
    }

    static func hitsOfMemory(_ trace: Trace, keys: [Key], capacity: Int) async throws -> Int {
        let source = MemorySource(maxEntries: capacity)
        let entry = Entry([1], created: PipelineClock.system.now)
        var hits = 0
        for request in trace.requests {
            if source.peek(keys[request]) != nil {
                hits += 1
            } else {
                try await source.write(entry, for: keys[request])
            }
        }
        return hits
    }
}
