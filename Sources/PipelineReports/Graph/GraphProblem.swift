internal import PipelineConfig

/// A problem of the configuration, as a drawing marks it.
package struct GraphProblem: Hashable {
    let code: String
    let isError: Bool
    let message: String
    let line: Int

    /// `warning P203: no pipeline uses the source …`
    var words: String { "\(isError ? "error" : "warning") \(code): \(message)" }
}

extension GraphProblem {
    /// The problem that `diagnostic` reports.
    init(_ diagnostic: Diagnostic) {
        self.init(
            code: diagnostic.code.rawValue, isError: diagnostic.severity == .error, message: diagnostic.message,
            line: diagnostic.range.start.line)
    }
}
