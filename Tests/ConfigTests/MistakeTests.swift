import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// What is said of the mistakes that people make. `UPDATE_GOLDEN=1` writes it into the table; read it as a newcomer to the program:
/// what is wrong must be clear in ten seconds.
@Suite struct MistakeTests {
    @Test func `the table says what is said today`() throws {
        let rewritten = MistakeTable.rewritten
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try rewritten.write(to: MistakeTable.file, atomically: true, encoding: .utf8)
        }

        #expect(try String(contentsOf: MistakeTable.file, encoding: .utf8) == rewritten)
        #expect(MistakeTable.mistakes.count >= 300)
        #expect(Set(MistakeTable.mistakes.map(\.name)).count == MistakeTable.mistakes.count)
    }

    @Test(arguments: MistakeTable.mistakes) func `each mistake is found, and has help`(_ mistake: Mistake) {
        let diagnostics = mistake.report.diagnostics

        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics { #expect(diagnostic.help?.isEmpty == false, "\(diagnostic.message)") }
    }

    @Test(arguments: [
        ("      - memory\n        ttl: 30s\n      - api\n", "      - source: memory\n        ttl: 30s\n      - api\n"),
        ("      - memory\n      - api\n  other\n    tiers: [api]\n", "      - memory\n      - api\n  other:\n    tiers: [api]\n"),
        ("      - memory\n\u{A0}\u{A0}    - api\n", "      - memory\n      - api\n"),
        ("      - “memory”\n      - api\n", "      - \"memory\"\n      - api\n"),
        ("      - memory\n      - source: api\n      timeout: 3s\n", "      - memory\n      - source: api\n        timeout: 3s\n"),
        ("      - memory\n      -{ source: api }\n", "      - memory\n      - { source: api }\n"),
        ("      { source: memory }\n      - api\n", "      - { source: memory }\n      - api\n"),
        ("      - { source: memory ]\n      - api\n", "      - { source: memory }\n      - api\n"),
    ]) func `a slip that can only have been meant in one way is put right`(wrong: String, right: String) {
        let head = "sources:\n  memory: { type: memory }\n  api: { type: http, url: \"http://h/\" }\npipelines:\n  friends:\n    tiers:\n"

        let fixed = FixedFile(Reading.file(head + wrong), plugins: Reading.plugins, environment: Reading.environment)

        #expect(String(decoding: fixed.file.text, as: UTF8.self) == head + right)
        #expect(fixed.report.codes == [])
    }
}
