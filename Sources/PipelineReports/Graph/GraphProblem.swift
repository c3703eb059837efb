internal import PipelineConfig

/// A problem of the configuration, as a drawing marks it.
package struct GraphProblem: Hashable {
    let code: String
    let severity: Diagnostic.Severity
    let message: String
    let line: Int

    /// `warning P203: no pipeline uses the source …`
    var words: String { "\(severity.rawValue) \(code): \(message)" }

    var isError: Bool { severity == .error }
}

extension GraphProblem {
    /// The problem that `diagnostic` reports.
    init(_ diagnostic: Diagnostic) {
        self.init(
            code: diagnostic.code.rawValue, severity: diagnostic.severity, message: diagnostic.message,
            line: diagnostic.range.start.line)
    }
}
