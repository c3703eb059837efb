/// The pauses between attempts to connect: random between 0 and `base` × 2ᵏ after k failures in a row, at least 100 ms, at most `max`
/// ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015: full jitter).
public struct ReconnectPolicy: Sendable, Hashable {
    /// The upper end of the first pause.
    package var base: Duration
    /// The longest pause.
    package var max: Duration

    /// Pauses from `base` up to `max`.
    ///
    /// - Parameters:
    ///   - base: the upper end of the first pause.
    ///   - max: the longest pause.
    public init(base: Duration = .seconds(1), max: Duration = .seconds(30)) {
        self.base = base
        self.max = max
    }
}
