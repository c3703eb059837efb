import Pipeline
import PipelineYAML
import SourcesSQLite

/// A fetch that the database tier answers, beside the driver's own read of the same bytes.
enum SQLiteHits {
    private static let count = 2_000

    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var rows: [Row] = []
        for size in [100, 4_096, 65_536] {
            let path = folder.path + "/\(size).db"
            let pipeline = try pipeline(path: path, payload: [UInt8](repeating: UInt8(ascii: "1"), count: size))
            let key = try pipeline.key()
            // The first fetch writes the row, and ends when it is there.
            try await pipeline.fetch(key).settleWrites()
            let source = SQLiteSource(path: DatabasePath(path))
            let bare = try BareDatabase(path, key: key.text)
            guard try await bare.read()?.count == size else { preconditionFailure("the row is not whole") }
            let fetches = try await Comparison.of(rounds: 15) {
                for _ in 0..<count { use(try await pipeline.fetch(key)) }
            } floor: {
                for _ in 0..<count { use(try await bare.read()) }
            }
            let reads = try await Comparison.of(rounds: 15) {
                for _ in 0..<count { use(try await source.read(key)) }
            } floor: {
                for _ in 0..<count { use(try await bare.read()) }
            }
            rows.append(Row("fetch answered by a row of \(size) B; floor: the driver's read", fetches, count: count, atMost: 1.3))
            rows.append(Row("… the source alone", reads, count: count))
        }
        return rows
    }

    private static func pipeline(path: String, payload: [UInt8]) throws -> DataPipeline {
        let text = """
            sources:
              disk: { type: sqlite, path: "\(path)" }
              api: { type: constant }
            pipelines:
              friends:
                format: bytes
                tiers: [{ source: disk, ttl: 1h }, api]
            """
        let report = ConfigFile(text: Array(text.utf8), name: "benchmark").report(plugins: [.sqlite, ConstantOrigin.plugin(payload)])
        return try Pipelines(report)["friends"]
    }
}
