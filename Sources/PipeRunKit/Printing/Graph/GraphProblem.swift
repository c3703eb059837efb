internal import Pipeline

/// A problem of the configuration, as a drawing marks it.
struct GraphProblem: Hashable {
    let code: String
    let isError: Bool
    let message: String
    let line: Int

    init(code: String, isError: Bool, message: String, line: Int) {
        self.code = code
        self.isError = isError
        self.message = message
        self.line = line
    }

    init(_ diagnostic: Diagnostic) {
        self.init(
            code: diagnostic.code.rawValue, isError: diagnostic.severity == .error, message: diagnostic.message,
            line: diagnostic.range.start.line)
    }

    /// `warning P203: no pipeline uses the source …`
    var words: String { "\(isError ? "error" : "warning") \(code): \(message)" }
}
