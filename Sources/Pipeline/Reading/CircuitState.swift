/// Whether a source is asked, as a metric tells it.
package enum CircuitState: Int, Sendable {
    /// It is asked.
    case closed = 0
    /// One request finds out whether it is well again.
    case halfOpen = 1
    /// It is left alone.
    case open = 2
}
