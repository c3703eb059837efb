import Pipeline
import SourcesSQLite

/// A fetch that the database tier answers, beside the driver's own read of the same bytes.
enum SQLiteHits {
    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var rows: [Row] = []
        for size in CacheHits.sizes {
            let path = folder.path + "/\(size).db"
            let pipeline = try await CacheHits.pipeline(over: "type: sqlite, path: \"\(path)\"", .sqlite, size: size)
            let bare = try BareDatabase(path, key: pipeline.key().text)
            guard try await bare.read()?.count == size else { preconditionFailure("the row is not whole") }
            rows += try await CacheHits.rows(
                "a row of \(size) B; floor: the driver's read", pipeline, SQLiteSource(path: DatabasePath(path)), count: 2_000,
                rounds: 15, atMost: 1.3
            ) { count in
                for _ in 0..<count { use(try await bare.read()) }
            }
        }
        return rows
    }
}
