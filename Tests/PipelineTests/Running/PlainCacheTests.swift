import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// A cache that says no more than that it is one.
private struct Plain: WritableSource {
    let memory: MemorySource

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await memory.read(key) }
    func write(_ entry: Entry, for key: Key) async throws { try await memory.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await memory.remove(key) }
    func clear(pipeline: String) async throws { try await memory.clear(pipeline: pipeline) }
}

@Suite struct PlainCacheTests {
    @Test func `what its plugin calls a cache is written all the same`() async throws {
        let memory = MemorySource()
        let plugin = SourcePlugin(cache: "plain", summary: "", capabilities: [.keepsMetadata]) { _ in Plain(memory: memory) }
        let scene = try Scene("tiers: [{ source: m, ttl: 9s }, network]", extra: [plugin], sources: "m: { type: plain }")

        try await scene.fetch()

        #expect(memory.peek(scene.key)?.text == "[\"v1\"]")
        #expect(try await scene.fetch().trace == "m: hit")
    }
}
