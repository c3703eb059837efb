import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

/// Loaders that are composed by hand in ways that no file comes to.
@Suite struct HandMadeLoaderTests {
    private let time = ManualClock()
    private let disk: StubSource
    private let api: StubOrigin
    private let key = Key(pipeline: "friends")

    init() {
        disk = StubSource("disk", clock: time.clock)
        api = StubOrigin("api", clock: time.clock)
        api.answers("[1]")
    }

    /// The disk, read on the calling thread, with copies that stay fresh for `ttl`.
    private func disk(ttl: Duration) -> Loader {
        Tier("disk", StubReading.onThread.source(disk), policy: TierPolicy(ttl: ttl), clock: time.clock).loader()
    }

    private var network: Loader { Tier("api", api, clock: time.clock).loader() }

    private func text(_ loader: Loader) async throws -> String? {
        try await loader(Call(key)).entry?.text
    }

    @Test func `loads are combined also below another tier`() async throws {
        let memory = Tier("memory", StubSource("memory", clock: time.clock), clock: time.clock)
        let inner = disk(ttl: .seconds(10)).fallback(to: network).coalescing()

        #expect(try await text(memory.loader().fallback(to: inner)) == "[1]")
        #expect(try await text(disk(ttl: .seconds(10)).fallback(to: inner)) == "[1]")
        #expect(try await text(inner.coalescing().fallback(to: inner)) == "[1]")
    }

    @Test func `each try of a tier that is read on the calling thread reads it`() async throws {
        disk.hold("[2]", for: key)
        disk.fail(.reads)
        let loader = disk(ttl: .seconds(10)).retrying(RetryPolicy(attempts: 2, base: .seconds(1), max: .seconds(1)), clock: time.clock)

        async let found = text(loader)
        await time.sleepers(atLeast: 1)
        disk.recover(.reads)
        time.advance(by: .seconds(1))

        #expect(try await found == "[2]")
    }

    @Test func `one source in two places is judged in each`() async throws {
        disk.hold("[3]", for: key)
        api.answers(.error(SourceError("down")))
        time.advance(by: .seconds(60))

        let loader = disk(ttl: .seconds(30)).fallback(to: network).fallback(to: disk(ttl: .seconds(86_400)))

        #expect(try await text(loader) == "[3]")
    }
}
