import Pipeline
import SourcesRedis

/// A fetch that the Redis tier answers, beside the driver's own `GET` of the same bytes from the same server: asynchronous, as the tier
/// reads, and blocking.
enum RedisHits {
    private struct NoURL: Error {}
    private static let (count, rounds) = (1_000, 21)

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
            let key = try pipeline.key()
            let bare = try await BareAsyncRedis(port: server.port, key: "\(size):" + key.text)
            let blocking = try BareRedis(port: server.port, key: "\(size):" + key.text)
            guard await bare.read().count > size, blocking.read() > size else { preconditionFailure("the value is not whole") }
            rows += try await CacheHits.rows(
                "a Redis value of \(size) B; floor: a bare asynchronous `GET`, SwiftNIO and hiredis", pipeline, source, count: count,
                rounds: rounds, atMost: 1.3
            ) { count in
                for _ in 0..<count { use(await bare.read()) }
            }
            let beside = try await Comparison.of(rounds: rounds) {
                for _ in 0..<count { use(try await pipeline.fetch(key)) }
            } floor: {
                for _ in 0..<count { use(blocking.read()) }
            }
            rows.append(Row("for comparison: beside hiredis's own `GET`, which has a thread wait", beside, count: count))
            try await bare.close()
            await source.close()
        }
        return rows
    }
}
