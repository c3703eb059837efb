import PipelineConfig
import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

/// A cache that does not say that it is one.
private struct Modest: WritableSource {
    let memory: MemorySource

    var asWritable: (any WritableSource)? { nil }

    func read(_ key: Key) async throws -> Entry? { try await memory.read(key) }
    func write(_ entry: Entry, for key: Key) async throws { try await memory.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await memory.remove(key) }
    func clear(pipeline: String) async throws { try await memory.clear(pipeline: pipeline) }
}

@Suite struct FacetTests {
    @Test func `what its plugin calls a cache is written all the same`() async throws {
        let memory = MemorySource()
        let plugin = SourcePlugin("modest", summary: "", capabilities: [.writes, .keepsMetadata]) { _ in Modest(memory: memory) }
        let scene = try Scene("tiers: [{ source: m, ttl: 9s }, network]", extra: [plugin], sources: "m: { type: modest }")

        try await scene.fetch()

        #expect(memory.peek(scene.key)?.text == "[\"v1\"]")
        #expect(try await scene.fetch().trace == "m: hit")
    }
}
