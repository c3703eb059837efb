/// The requests before a run, which bring its caches to where they stay.
public struct WarmUp: Sendable, Hashable {
    /// How long it took.
    public let duration: Duration
    /// Whether the share of hits had become steady; otherwise it went on for as long as a run may take.
    public let isSteady: Bool

    /// So many windows in a row must agree.
    static let windows = 3

    /// Whether the shares of hits in the last three windows agree within a hundredth.
    static func isSteady(_ shares: [Double]) -> Bool {
        let last = shares.suffix(windows)
        guard last.count == windows, let least = last.min(), let most = last.max() else { return false }
        // Shares are not exact in binary.
        return most - least <= 0.01 + 1e-9
    }
}
