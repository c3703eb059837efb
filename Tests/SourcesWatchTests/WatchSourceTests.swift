import Pipeline
import PipelineConfig
import PipelineLive
import PipelineYAML
import Testing

@testable import SourcesWatch

/// The plugin, and what can be said without listening.
@Suite struct WatchSourceTests {
    @Test func `the plugin declares its field`() {
        #expect(SourcePlugin.watch.declarations.map(\.name) == ["path"])
        #expect(SourcePlugin.watch.declarations[0].isRequired)
        #expect(SourcePlugin.watch.capabilities == [.emitsChanges, .signalsOnly])
    }

    @Test func `keys of one file share a connection`() throws {
        let source = WatchSource(path: .text("/conf/team.json"))

        #expect(try source.channel(for: Key(pipeline: "a")) == "/conf/team.json")
        #expect(try source.channel(for: Key(pipeline: "b")) == "/conf/team.json")
    }

    @Test func `a path that the system cannot take is an error`() {
        #expect(throws: SourceError.self) { try WatchSource(path: .text("/a\0b")).channel(for: Key(pipeline: "a")) }
        let long = "/" + String(repeating: "a", count: 1_000)
        #expect(throws: SourceError.self) { try WatchSource(path: .text(long)).channel(for: Key(pipeline: "a")) }
    }

    @Test func `a check looks for the file`() async throws {
        let folder = try TemporaryFolder()
        let source = WatchSource(path: .text(folder.path + "/team.json"))

        #expect(try await source.check() == .limited("there is no file to read there yet"))
        try folder.put("one", into: "team.json")
        #expect(try await source.check() == .reachable)
    }

    @Test func `a cancelled listener ends at once`() async throws {
        let folder = try TemporaryFolder()
        let source = WatchSource(path: .text(folder.path + "/team.json"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await source.listen(for: Key(pipeline: "a"), to: LiveListener { _ in })
        }

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
