/// What the fields of one source say against each other.
public struct FieldConflict: Sendable {
    let code: DiagnosticCode
    let field: String
    let reason: String
    let help: String?

    /// A conflict of `field` with another one, reported where `field` is written.
    ///
    /// - Parameters:
    ///   - reason: how the sentence goes on that begins with the field and its source.
    ///   - help: the concrete edit.
    public init(_ code: DiagnosticCode, of field: String, _ reason: String, help: String? = nil) {
        self.code = code
        self.field = field
        self.reason = reason
        self.help = help
    }
}
