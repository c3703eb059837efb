import Pipeline
import PipelineTesting
import Testing

@testable import SourcesRedis

/// A source at `url`, with a patience that a busy machine does not wear out.
func makeSource(
    _ url: String, clock: PipelineClock = .system, _ change: (inout RedisSettings) -> Void = { _ in }
) throws -> RedisSource {
    var settings = RedisSettings(url: try #require(RedisURL(url)), timeout: .seconds(20))
    change(&settings)
    return RedisSource(settings, clock: clock)
}

/// Runs `body` with a source at `url`, which is closed afterwards.
func withSource(
    _ url: String, clock: PipelineClock = .system, _ change: (inout RedisSettings) -> Void = { _ in },
    _ body: (RedisSource) async throws -> Void
) async throws {
    let source = try makeSource(url, clock: clock, change)
    do {
        try await body(source)
    } catch {
        await source.close()
        throw error
    }
    await source.close()
}

extension RedisSource {
    func text(_ key: Key = .user("42")) async throws -> String? {
        try await read(key)?.payload.map { String(decoding: $0, as: UTF8.self) }
    }

    func write(_ text: String, for key: Key = .user("42"), freshFor: Duration? = nil) async throws {
        let now = clock.now
        try await write(Entry(Array(text.utf8), created: now, stored: now, freshUntil: freshFor.map { now + $0 }), for: key)
    }

    /// What a read of `key` fails with.
    func failure(_ key: Key = .user("42")) async -> SourceError? { await SourcesRedisTests.failure { try await self.read(key) } }
}

/// What `body` fails with.
func failure(_ body: () async throws -> some Any) async -> SourceError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? SourceError ?? SourceError("no error of a source: \(error)")
    }
}

/// Tries again until `body` returns a value, for what comes about by itself.
func eventually<Value>(_ body: () async throws -> Value?) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if let value = try? await body() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    let last = try await body()
    return try #require(last, "it does not come about")
}
