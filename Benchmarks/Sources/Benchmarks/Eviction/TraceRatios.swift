import Foundation
import Pipeline
import SourcesMemory

/// How many requests of public traces the memory tier answers, beside other policies and the optimum.
///
/// The traces are the files that `scripts/traces` writes to the folder that `TRACES` names.
enum TraceRatios {
    private static let policies: [(name: String, policy: any CachePolicy.Type)] = [
        ("LRU", LeastRecentlyUsed.self), ("SIEVE", Sieve.self), ("ARC", AdaptiveReplacement.self), ("W-TinyLFU", WindowTinyLFU.self),
        ("LIRS", LowInterReferenceRecency.self), ("S3-FIFO", PlainS3FIFO.self),
    ]

    /// Loops, scans and mixtures that change, of databases, file systems, web sites and a ledger.
    private static let points: [(trace: String, capacities: [Int])] = [
        ("2_pools", [100, 450, 1_000]), ("cpp", [20, 100, 500]), ("cs", [100, 500, 1_000]), ("gli", [250, 500, 1_000]),
        ("loop", [250, 500]),
        ("multi1", [500, 1_000]), ("multi2", [500, 1_500]), ("multi3", [500, 2_000]), ("ps", [500, 1_500]), ("scan", [500]),
        ("sprite", [100, 500, 1_000]), ("zigzag", [500]), ("corda", [512, 1_000]), ("web07", [512, 1_500]), ("web12", [512, 1_500]),
        ("orm-busy", [2_000]), ("orm-night", [2_000]), ("OLTP", [1_000, 5_000, 15_000]), ("cp", [128, 1_024, 4_096]),
    ]

    /// The traces that the constants of the memory tier's policy were chosen with. The others judge them.
    private static let tuning: Set = ["2_pools", "corda", "cs", "loop", "multi2", "orm-busy", "ps", "sprite", "web12"]

    /// The table as Markdown: a line for each point, and the means.
    @concurrent
    static func table(folder: String) async throws -> String {
        let heads = policies.map(\.name) + ["pipe-run", "optimum"]
        var lines = [
            "| trace | entries | \(heads.joined(separator: " | ")) |", "|---|---|\(String(repeating: "---|", count: heads.count))",
        ]
        var all: [[Double]] = []
        var judging: [[Double]] = []
        for (name, capacities) in points {
            let trace = try Trace(file: "\(folder)/\(name).bin", name: name)
            let keys = (0..<trace.keyCount).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }
            for capacity in capacities {
                var hits = policies.map { $0.policy.hits(of: trace, capacity: capacity) }
                hits.append(try await EvictionRatios.hitsOfMemory(trace, keys: keys, capacity: capacity))
                hits.append(Optimum.hits(of: trace, capacity: capacity))
                let shares = hits.map { Double($0) / Double(trace.requests.count) * 100 }
                all.append(shares)
                if !tuning.contains(name) { judging.append(shares) }
                lines.append("| \(name) | \(capacity) | \(shares.map { $0.text(1) }.joined(separator: " | ")) |")
            }
        }
        lines.append(mean("mean", of: all))
        lines.append(mean("mean of the traces it was not tuned with", of: judging))
        return lines.joined(separator: "\n")
    }

    private static func mean(_ name: String, of points: [[Double]]) -> String {
        let columns = points.first?.indices ?? 0..<0
        let means = columns.map { column in points.map { $0[column] }.reduce(0, +) / Double(points.count) }
        return "| **\(name)** | \(points.count) points | \(means.map { "**\($0.text(1))**" }.joined(separator: " | ")) |"
    }
}
