import Pipeline
import PipelineConfig
import PipelineTesting
import SourcesMemory
import Testing

@Suite struct MemoryConformanceTests {
    let time = ManualClock()

    @Test(arguments: [(100, nil), (10_000, nil), (1_000_000, Size.mebibytes(8)), (1_000_000, .mebibytes(64))] as [(Int, Size?)])
    func `memory keeps the contract of a cache`(maxEntries: Int, maxBytes: Size?) async {
        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.memory.capabilities, clock: time.clock) {
            MemorySource(maxEntries: maxEntries, maxBytes: maxBytes)
        }

        #expect(violations == [])
    }

    @Test func `the plugin declares its two bounds`() {
        let plugin = SourcePlugin.memory

        #expect(plugin.name == "memory")
        #expect(plugin.capabilities == [.writes, .keepsMetadata, .keepsNotFound, .listsKeys, .answersAtOnce])
        #expect(plugin.declarations.map(\.name) == ["max_entries", "max_bytes"])
        #expect(plugin.declarations.map(\.defaultText) == ["10000", nil])
        #expect(plugin.declarations.map(\.rangeText) == ["0 or more", nil])
        #expect(plugin.declarations.map(\.isRequired) == [false, false])
    }

    @Test func `it lists the keys it holds`() async throws {
        let memory = MemorySource(maxEntries: 5_000)
        let keys = Set((0..<100).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) })
        for key in keys { try await memory.write(Entry([1], created: time.now), for: key) }

        #expect(Set(memory.keys) == keys)
        #expect(memory.count == 100)
    }
}
