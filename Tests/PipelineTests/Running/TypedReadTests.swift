import Foundation
import Pipeline
import PipelineConfig
import PipelineFoundation
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@Suite struct TypedReadTests {
    struct Friend: Codable, Equatable {
        let id: Int
        let name: String
    }

    /// Runs `body` with the pipelines of a file on disk, whose origin answers with `answer`.
    private func withPipelines(answering answer: StubAnswer, _ body: (Pipelines) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "pipeline.yaml")
        try """
        sources: { memory: { type: memory }, api: { type: stub } }
        pipelines: { friends: { parameters: [user], tiers: [memory, api] } }
        """.write(to: file, atomically: true, encoding: .utf8)
        let origin = StubOrigin("api", clock: .system, answering: answer)
        let stub = SourcePlugin("stub", summary: "") { _ in origin }

        let pipelines = try Pipelines(contentsOf: file.path, plugins: [.memory, stub])
        try await body(pipelines)
        #expect(await pipelines.shutDown().isEmpty)
    }

    @Test func `a value is read from a file's pipeline and decoded`() async throws {
        try await withPipelines(answering: #"[{"id": 1, "name": "Ada"}]"#) { pipelines in
            let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])

            #expect(try outcome.value(as: [Friend].self) == [Friend(id: 1, name: "Ada")])
            #expect(throws: DecodingError.self) { try outcome.value(as: Friend.self) }
        }
    }

    @Test func `there is no value when it is not found, and an error when the fetch failed`() async throws {
        try await withPipelines(answering: .notFound) { pipelines in
            let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])
            #expect(try outcome.value(as: [Friend].self) == nil)
        }
        try await withPipelines(answering: .error()) { pipelines in
            let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])
            #expect(throws: LoadError.self) { try outcome.value(as: [Friend].self) }
        }
    }

    @Test func `an unknown pipeline and a wrong parameter say what is known`() async throws {
        try await withPipelines(answering: .miss) { pipelines in
            let unknown = #expect(throws: UsageError.self) { try pipelines.pipeline(named: "frends") }
            #expect(unknown?.help == "did you mean `friends`?")
            await #expect(throws: UsageError.self) { try await pipelines.pipeline(named: "friends").fetch(["usr": "42"]) }
            await #expect(throws: UsageError.self) { try await pipelines.pipeline(named: "friends").fetch() }
        }
    }

    @Test func `a file that cannot be used throws every problem it has`() throws {
        let error = #expect(throws: ConfigError.self) { try Pipelines(contentsOf: "/nowhere/pipeline.yaml", plugins: []) }

        #expect(error?.diagnostics.map(\.code) == [.unreadable])
    }
}
