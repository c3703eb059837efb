/// Where a value of a configuration came from.
package enum ValueOrigin: Sendable, Hashable {
    /// It is written in the file, and comes to its place by the aliases and merges at `uses`.
    case place(TextRange, uses: [TextRange])
    /// The file does not mention it.
    case byDefault
    /// From an environment variable.
    case variable(String)
    /// From the default that a reference to this variable names; the variable is not set, or empty.
    case unsetVariable(String)
    /// From the text of a file.
    case file(String)
    /// The reference stays as it was written: put in its place, the value would be read as something else.
    case kept
    /// The value is not shown.
    case secret
}
