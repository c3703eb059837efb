package import PipelineConfig
package import PipelineScenarios
internal import PipelineYAML

/// A diagnostic of a test file or of its configuration.
package struct ScenarioProblem {
    package let diagnostic: Diagnostic
    /// The diagnostic as people read it, ending with a line break.
    package let text: String
}

extension ScenarioSuite {
    /// What is wrong with the test file, and the errors of its configuration.
    package func problems(hasColour: Bool) -> [ScenarioProblem] {
        let own = DiagnosticPrinter(lines: file.lines, secretRanges: secretRanges, hasColour: hasColour)
        let problems = diagnostics.map { ScenarioProblem(diagnostic: $0, text: own.text($0)) }
        guard let report, let config else { return problems }
        let printer = DiagnosticPrinter(lines: config.lines, secretRanges: report.secretRanges, hasColour: hasColour)
        return problems
            + report.diagnostics.filter { $0.severity == .error }.map { ScenarioProblem(diagnostic: $0, text: printer.text($0)) }
    }
}
