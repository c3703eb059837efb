import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// Who does what a help says is rid of the problem, and has no other for it.
@Suite struct AppliedHelpTests {
    private static func check(_ diagnostics: [Diagnostic], in text: String, reading: (String) -> [Diagnostic]) -> Int {
        var count = 0
        for diagnostic in diagnostics {
            for applied in AppliedHelp.all(of: diagnostic, in: text) {
                count += 1
                // A warning may well come to light only now; an error may not.
                let after = reading(applied.text).filter { !isWanting($0, in: applied.words) }
                let errors = after.filter { $0.severity == .error }
                let before = Set(diagnostics.map(words))
                #expect(!after.map(words).contains(words(of: diagnostic)), "\(applied.words)\n\(applied.text)")
                #expect(Set(errors.map(words)).subtracting(before).isEmpty, "\(applied.words)\n\(applied.text)\n\(errors.map(words))")
            }
        }
        return count
    }

    private static func words(of diagnostic: Diagnostic) -> String { "\(diagnostic.code.rawValue) \(diagnostic.message)" }

    /// A help may name a variable that is then to be set.
    private static func isWanting(_ diagnostic: Diagnostic, in words: String) -> Bool {
        diagnostic.code == .variableNotSet
            && diagnostic.message.split(separator: "`").dropFirst().first.map { words.contains("${\($0)") } == true
    }

    @Test(arguments: GoldenTests.names.filter { !$0.hasPrefix("P004") && !$0.hasPrefix("P5") })
    func `what the help of a golden file says to write is right`(_ name: String) async throws {
        let (file, _, diagnostics) = try await GoldenTests.read(name)

        _ = Self.check(diagnostics, in: String(decoding: file.text, as: UTF8.self)) { text in
            ConfigFile(text: Array(text.utf8), name: file.name, folder: file.folder)
                .report(plugins: Reading.plugins(for: text), environment: Reading.environment).diagnostics
        }
    }

    /// What their helps say is written elsewhere than at the mark, or names what is still to be declared.
    private static let byHand: Set = [
        "burst in an http source", "poll in a pipeline", "refresh in a pipeline", "every in a pipeline", "schedule in a pipeline",
        "an asterisk for a dash", "parameters as a list of mappings", "parameters as a list of mappings with types",
        "a field without a space after its colon", "a source written within a tier", "a url as a tier",
    ]

    @Test(arguments: MistakeTable.mistakes.filter { !byHand.contains($0.name) }) func `what the help for a mistake says to write is right`(
        _ mistake: Mistake
    ) {
        _ = Self.check(mistake.report.diagnostics, in: mistake.text) { Mistake(name: "", text: $0, said: "").report.diagnostics }
    }

    @Test func `there is much to write`() async throws {
        var count = 0
        for mistake in MistakeTable.mistakes {
            count += mistake.report.diagnostics.map { AppliedHelp.all(of: $0, in: mistake.text).count }.reduce(0, +)
        }

        #expect(count > 40)
    }
}
