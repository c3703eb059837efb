import Pipeline
import SourcesRedis

/// A fetch that the Redis tier answers, beside the driver's own `GET` of the same bytes from the same server.
enum RedisHits {
    private struct NoURL: Error {}

    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try RedisServer(in: folder)
        defer { server.end() }
        guard let url = RedisURL(server.url) else { throw NoURL() }
        var rows: [Row] = []
        for size in CacheHits.sizes {
            let pipeline = try await CacheHits.pipeline(
                over: "type: redis, url: \"\(server.url)\", prefix: \"\(size):\"", .redis, size: size)
            let source = RedisSource(url: url, prefix: "\(size):")
            let bare = try BareRedis(port: server.port, key: "\(size):" + pipeline.key().text)
            guard bare.read() > size else { preconditionFailure("the value is not whole") }
            rows += try await CacheHits.rows(
                "a Redis value of \(size) B; floor: the driver's `GET`, blocking", pipeline, source, count: 1_000, rounds: 21, atMost: 1.3
            ) { count in
                for _ in 0..<count { use(bare.read()) }
            }
            await source.close()
        }
        return rows
    }
}
