/// Where secrets stand in the text of a configuration.
struct SecretPlaces {
    /// The places, each once.
    private(set) var ranges: Set<TextRange> = []
    /// The scalars that have a secret in them.
    private var holders: Set<TextRange> = []

    /// Adds the place of a whole value.
    mutating func insert(_ range: TextRange) {
        ranges.insert(range)
    }

    /// Adds a part of the scalar at `scalar`.
    mutating func insert(_ part: TextRange, within scalar: TextRange) {
        ranges.insert(part)
        holders.insert(scalar)
    }

    /// Whether the value at `range` is a secret.
    func contains(_ range: TextRange) -> Bool { ranges.contains(range) }

    /// Whether the scalar at `range` is a secret or has one in it.
    func holdsSecret(_ range: TextRange) -> Bool { ranges.contains(range) || holders.contains(range) }
}
