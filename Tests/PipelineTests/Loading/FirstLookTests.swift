import PipelineTesting
import SourcesMemory
import Synchronization
import Testing

@testable import Pipeline
import PipelineConfig

/// Memory that counts how often it is asked, and has something happen in the middle.
private final class CountedMemory: WritableSource {
    private let memory = MemorySource()
    private let state = Mutex((count: 0, during: (@Sendable () -> Void)?.none))

    /// How often it was asked since this was read last.
    func takeCount() -> Int {
        state.withLock { state in
            defer { state.count = 0 }
            return state.count
        }
    }

    /// Has `action` done once, after the next time that it is asked.
    func interrupt(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.during = action } }

    var style: ReadStyle { .immediate }

    func peek(_ key: Key) -> Entry? {
        let action = state.withLock { state in
            state.count += 1
            defer { state.during = nil }
            return state.during
        }
        let entry = memory.peek(key)
        action?()
        return entry
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { peek(key) }
    func write(_ entry: Entry, for key: Key) async throws { try await memory.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await memory.remove(key) }
    func clear(pipeline: String) async throws { try await memory.clear(pipeline: pipeline) }
}

@Suite struct FirstLookTests {
    private let memory = CountedMemory()

    private func scene(_ pipeline: String) throws -> Scene {
        let plugin = SourcePlugin(cache: "counted", summary: "", capabilities: [.keepsMetadata, .keepsNotFound]) { [memory] _ in memory }
        return try Scene(pipeline, extra: [plugin], sources: "first: { type: counted }")
    }

    @Test(arguments: ["[{ source: first, ttl: 10s }, network]", "[{ source: first, ttl: 10s }, { source: disk, ttl: 10s }, network]"])
    func `a fetch asks memory once, whatever it finds`(tiers: String) async throws {
        let scene = try scene("tiers: \(tiers)\nstale_while_revalidate: 5s\nstale_if_error: 1h\nnot_found_ttl: 5s")

        #expect(try await scene.fetch().attempts[0].outcome == .miss)
        #expect(memory.takeCount() == 1)
        #expect(try await scene.fetch().attempts[0].outcome == .hit)
        #expect(memory.takeCount() == 1)
        scene.time.advance(by: .seconds(12))
        #expect(try await scene.fetch().attempts[0].outcome == .stale)
        await scene.friends.finishRefreshes()
        #expect(memory.takeCount() == 1)
        scene.time.advance(by: .seconds(20))
        scene.network.answers(.notFound)
        #expect(try await scene.fetch().attempts[0].outcome == .expired)
        #expect(memory.takeCount() == 1)
        #expect(try await scene.fetch().attempts[0].outcome == .notFound)
        #expect(memory.takeCount() == 1)
    }

    @Test func `a fetch asks memory once also where its writes wait, and not at all while one does`() async throws {
        let scene = try scene("tiers: [{ source: first, ttl: 10s, debounce: 2s }, network]\nstale_if_error: 1h")

        #expect(try await scene.fetch().attempts[0].outcome == .miss)
        #expect(memory.takeCount() == 1)
        #expect(try await scene.fetch().attempts[0].outcome == .hit)
        #expect(memory.takeCount() == 0)
        await scene.pipelines.flush()
        _ = memory.takeCount()
        #expect(try await scene.fetch().attempts[0].outcome == .hit)
        #expect(memory.takeCount() == 1)
        scene.time.advance(by: .seconds(12))
        scene.network.fail(.reads)
        #expect(try await scene.fetch().attempts[0].outcome == .stale)
        #expect(memory.takeCount() == 1)
    }

    @Test func `what memory gets while a fetch looks is found, also where its writes wait`() async throws {
        let scene = try scene("tiers: [{ source: first, ttl: 10s, debounce: 2s }, network]")
        let (now, flights) = (scene.time.now, scene.friends.flights[0])
        memory.interrupt { [memory, key = scene.key] in
            _ = Task.immediate { try await memory.write(Entry(Array("[1]".utf8), created: now, stored: now), for: key) }
            flights.detach { _ in false }
        }

        let outcome = try await scene.friends.fetch(scene.key)

        #expect(outcome.trace == "first: hit")
        #expect(scene.network.readCount == 0)
        #expect(memory.takeCount() == 2)
    }

    @Test func `CO-03 what memory gets while a fetch looks is found: the origin is not asked again`() async throws {
        let scene = try scene("tiers: [{ source: first, ttl: 10s }, network]")
        let (now, flights) = (scene.time.now, scene.friends.flights[0])
        // As a load that ends between the look of this fetch and its own load.
        memory.interrupt { [memory, key = scene.key] in
            _ = Task.immediate { try await memory.write(Entry(Array("[1]".utf8), created: now, stored: now), for: key) }
            flights.detach { _ in false }
        }

        let outcome = try await scene.friends.fetch(scene.key)

        #expect(outcome.trace == "first: hit")
        #expect(outcome.text == "[1]")
        #expect(scene.network.readCount == 0)
        #expect(memory.takeCount() == 2)
    }

    @Test func `IN-01 a copy from before a removal that ended while a fetch looked is served no more`() async throws {
        let scene = try scene("tiers: [{ source: first, ttl: 10s }, network]\nstale_if_error: 1h")
        try await scene.fetch()
        scene.time.advance(by: .seconds(11))
        scene.network.fail(.reads)
        let removal = Mutex<Task<RemovalReport, any Error>?>(nil)
        memory.interrupt {
            removal.withLock { $0 = Task.immediate { try await scene.friends.remove(scene.key) } }
        }

        let outcome = try await scene.friends.fetch(scene.key)

        _ = try await removal.withLock { $0 }?.value
        #expect(outcome.failure?.kind == .everyTierFailed)
    }

    @Test func `a source that cannot be peeked at fails as any other`() async throws {
        struct Broken: WritableSource {
            var style: ReadStyle { .immediate }

            func peek(_ key: Key) throws -> Entry? { throw SourceError("out of order") }
            func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try peek(key) }
            func write(_ entry: Entry, for key: Key) async throws {}
            func remove(_ key: Key) async throws {}
            func clear(pipeline: String) async throws {}
        }
        let plugin = SourcePlugin(cache: "broken", summary: "") { _ in Broken() }
        let scene = try Scene("tiers: [{ source: first, ttl: 10s }, network]", extra: [plugin], sources: "first: { type: broken }")

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.attempts.first?.description == "first: error (out of order)")
    }
}
