import Foundation
import Pipeline
import PipelineConfig
import PipelineReports
import Testing

@testable import PipeRunKit

/// `Golden/schema.json` is what `pipe-run schema` prints. `UPDATE_GOLDEN=1` rewrites it.
@Suite struct SchemaTests {
    private static func members(of value: Any, _ path: String...) throws -> [String: Any] {
        var value = value
        for name in path { value = try #require((value as? [String: Any])?[name], "\(name)") }
        return try #require(value as? [String: Any])
    }

    private static func parsed(_ plugins: [SourcePlugin]) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(ConfigSchema.json(plugins: plugins).text.utf8))
    }

    @Test func `the schema is what its golden file says`() throws {
        let file = GoldenTests.folder.appending(path: "schema.json")
        let text = ConfigSchema.json(plugins: Reading.plugins).indentedText + "\n"

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" { try text.write(to: file, atomically: true, encoding: .utf8) }

        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func `indented and on one line it is the same`() throws {
        let schema = ConfigSchema.json(plugins: Reading.plugins)
        let indented = try JSONSerialization.jsonObject(with: Data(schema.indentedText.utf8)) as? NSDictionary
        let onOneLine = try JSONSerialization.jsonObject(with: Data(schema.text.utf8)) as? NSDictionary

        #expect(indented != nil && indented == onOneLine)
    }

    @Test func `a field shows its documentation, default and example, and what replaces it`() throws {
        let sources = try Self.members(of: Self.parsed([EveryType.plugin]), "properties", "sources", "additionalProperties")
        let variants = try #require(sources["allOf"] as? [[String: Any]])
        let fields = try Self.members(of: try #require(variants.first), "then", "properties")

        let grace = try Self.members(of: fields, "grace")
        #expect(grace["description"] as? String == "A duration.")
        #expect(grace["default"] as? String == "0s")
        #expect(grace["examples"] as? [String] == ["1h30m"])
        #expect(try Self.members(of: fields, "names")["examples"] as? [[String: Int]] == [["a": 1]])
        #expect(try Self.members(of: fields, "count")["default"] as? Int == 3)
        #expect(try Self.members(of: fields, "old_limit")["deprecated"] as? Bool == true)
        #expect(try Self.members(of: fields, "old_limit")["description"] as? String == "A field of former times. Deprecated: use `limit`.")
        #expect(grace["deprecated"] == nil)
    }

    @Test func `a deprecated field is read, with a warning`() {
        let report = Reading.report(
            """
            sources: { a: { type: every, title: x, old_limit: 1s } }
            pipelines: { friends: { tiers: [a] } }
            """, plugins: [EveryType.plugin])

        #expect(report.diagnostics.map(\.severity) == [.warning])
        #expect(report.summary == ["P101 `old_limit` is deprecated"])
        #expect(report.diagnostics.first?.help == "use `limit` instead")
    }
}
