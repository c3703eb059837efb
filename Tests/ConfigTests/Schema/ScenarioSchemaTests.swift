import Foundation
import Pipeline
import PipelineJSON
import TestSupport
import Testing

@testable import PipelineReports

/// `pipe-run schema --tests`, judged by a validator and a reader of YAML that are none of this project's.
@Suite struct ScenarioSchemaTests {
    private static func refusals(_ texts: [String]) throws -> [String?] { try SchemaJudge(schema: ConfigSchema.tests).refusals(of: texts) }

    private static let files = [
        "examples/friends/pipeline.test.yaml", "Tests/PipelineScenariosTests/Scenarios/examples.test.yaml",
        "Tests/PipelineScenariosTests/Scenarios/policies.test.yaml", "Tests/PipelineScenariosTests/Scenarios/Formats/formats.test.yaml",
        "Tests/PipelineScenariosTests/Scenarios/sends.test.yaml", "examples/sends/pipeline.test.yaml",
    ]

    @Test func `the schema takes the tests that this repository has`() throws {
        let texts = try Self.files.map { try String(contentsOf: Document.root.appending(path: $0), encoding: .utf8) }

        let refusals = try Self.refusals(texts)

        for (file, refusal) in zip(Self.files, refusals) { #expect(refusal == nil, "\(file)") }
    }

    @Test func `the outcomes of a write are the same words in the schema and in the documents`() throws {
        let schema = ConfigSchema.tests.text
        let documents = try ["docs/cli.md", "docs/testing.md"].map {
            try String(contentsOf: Document.root.appending(path: $0), encoding: .utf8)
        }

        let words = WriteRecord.Outcome.allCases.map(\.rawValue)

        #expect(schema.contains("What happens to each write, in order: \(words.joined(separator: ", "))."))
        for word in words { #expect(documents.allSatisfy { $0.contains("`\(word)`") }, "\(word)") }
    }

    @Test func `the schema refuses what is no test`() throws {
        let test = "tests: [{ name: a, steps: [{ fetch: { from: api } }] }]"
        let wrong = [
            "{}", "test: []", "tests: 1", "tests: [{ steps: [fetch] }]", "tests: [{ name: a }]", "tests: [{ name: a, steps: fetch }]",
            test.replacing("from", with: "form"), test.replacing("fetch", with: "fetsh"), test.replacing("from: api", with: "stale: maybe"),
            test.replacing("{ fetch: { from: api } }", with: "{ wait: soon }"),
            test.replacing("{ fetch: { from: api } }", with: "{ start: { fetch: { from: api }, as: a } }"),
            test.replacing("name: a", with: "name: a, onyl: true"),
        ]

        let refusals = try Self.refusals([test] + wrong)

        #expect(refusals.first == .some(nil))
        for (text, refusal) in zip(wrong, refusals.dropFirst()) { #expect(refusal != nil, "\(text)") }
    }
}
