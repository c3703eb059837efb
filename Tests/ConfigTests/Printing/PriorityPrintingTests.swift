import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import PipelineReports

/// The field `priority` of a pipeline, and what is shown of it.
@Suite struct PriorityPrintingTests {
    private static func report(_ field: String) -> ConfigReport {
        Reading.report(
            """
            sources: { memory: { type: memory }, api: { type: http, url: "${API}/friends" } }
            pipelines: { friends: { \(field) tiers: [memory, api] } }
            """)
    }

    private static func explanation(of field: String) throws -> [String] {
        Explanation(try report(field).plan.pipeline("friends")).sections.flatMap(\.sentences).map(\.text)
    }

    @Test(arguments: PriorityWord.allCases) func `each word is a priority`(_ word: PriorityWord) throws {
        let report = Self.report("priority: \(word.rawValue),")

        #expect(!report.diagnostics.hasErrors)
        #expect(try report.plan.pipeline("friends").policy.priority == word.priority)
        #expect(PriorityWord(word.priority) == word)
    }

    @Test func `without the field it is normal, and another word is not allowed`() throws {
        #expect(try Self.report("").plan.pipeline("friends").policy.priority == .normal)
        #expect(Self.report("priority: urgent,").diagnostics.map(\.code) == [.notAllowed])
        #expect(Self.report("priority: hihg,").diagnostics.first?.help == "did you mean `high`?")
    }

    @Test func `explain says what another priority means, and nothing of the usual one`() throws {
        let low = try Self.explanation(of: "priority: low,").filter { $0.contains("priority `low`") }

        #expect(low.count == 1)
        #expect(try Self.explanation(of: "").allSatisfy { !$0.contains("priority") })
        #expect(try Self.explanation(of: "priority: normal,").allSatisfy { !$0.contains("priority") })
    }
}
