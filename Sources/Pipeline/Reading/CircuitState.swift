/// The state of a circuit, as a metric shows it.
package enum CircuitState: Int, Sendable {
    /// The source is asked.
    case closed = 0
    /// One request checks that the source is well again.
    case halfOpen = 1
    /// The source is skipped.
    case open = 2
}
