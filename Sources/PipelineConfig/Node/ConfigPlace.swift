/// Where something stands, and the aliases and merges that brought it to where it counts.
struct ConfigPlace: Sendable, Hashable {
    /// Where it is written.
    let range: TextRange
    /// The places of the aliases and merges, from the outside in.
    let uses: [TextRange]
}
