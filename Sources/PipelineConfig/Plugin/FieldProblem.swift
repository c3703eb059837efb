/// What is wrong with the value of a field that could be read.
package enum FieldProblem: Sendable {
    /// It is out of range; says what was expected instead.
    case expected(String)
    /// One of its names cannot be one, in these words.
    case name(String)
    /// What stands at one of its names is malformed, in these words.
    case value(String, help: String)
}
