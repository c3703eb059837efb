/// A configuration that cannot be used, with every problem that was found.
public struct ConfigError: Error, Sendable, CustomStringConvertible {
    /// All problems in reading order, warnings among them.
    public let diagnostics: [Diagnostic]

    /// An error made of `diagnostics`.
    public init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// One line for each problem: its place, code and message.
    public var description: String {
        diagnostics.map {
            "\($0.file):\($0.range.start.line):\($0.range.start.column): \($0.severity.rawValue)[\($0.code.rawValue)]: \($0.message)"
        }.joined(separator: "\n")
    }
}
