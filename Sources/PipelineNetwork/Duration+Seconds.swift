extension Duration {
    /// This duration in seconds, fractions kept.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
