import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// The YAML that people copy out of the documents is YAML.
@Suite struct DocumentTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    private static func problems(_ yaml: String) -> [String] {
        ConfigFile(text: Array(yaml.utf8), name: "snippet").report(plugins: [], level: .syntax).summary
    }

    @Test func `the snippets of docs/ci.md are well-formed`() throws {
        let snippets = try Self.text("docs/ci.md").matches(of: #/(?s)```yaml\n(.*?)```/#).map { String($0.1) }

        #expect(snippets.count >= 4)
        for snippet in snippets { #expect(Self.problems(snippet) == [], "\(snippet)") }
    }

    @Test func `the hooks for pre-commit are well-formed and name the command`() throws {
        let hooks = try Self.text(".pre-commit-hooks.yaml")

        #expect(Self.problems(hooks) == [])
        #expect(hooks.contains("entry: pipe-run validate\n"))
    }
}
