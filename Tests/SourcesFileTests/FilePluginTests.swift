import Pipeline
import PipelineConfig
import Testing

@testable import SourcesFile

@Suite struct FilePluginTests {
    @Test func `the plugin declares its fields`() {
        let declarations = SourcePlugin.file.declarations

        #expect(declarations.map(\.name) == ["path", "durable", "read_only", "max_size", "max_entries", "max_bytes", "mode"])
        #expect(declarations.map(\.isRequired) == [true, false, false, false, false, false, false])
        #expect(declarations.map(\.defaultText) == [nil, "false", "false", "64MiB", nil, nil, "0600"])
        #expect(declarations[0].example == ".cache/{key}.json")
        #expect(declarations[2].withdraws == .writes)
        #expect(SourcePlugin.file.capabilities == [.writes, .keepsMetadata, .listsKeys])
    }
}
