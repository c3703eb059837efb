/// A reference in a value in which links are followed, and the target that it leads to.
struct LinkReference: Sendable {
    /// The number of the target in the ``LinkBook``.
    let target: Int
    let link: PlacedLink
    /// The number of its place among those of the link.
    let place: Int
    /// Which element the target is, where it is one of a list; nil while it is not known which elements there are.
    let position: Int?

    /// Where the target stands; the list while ``position`` is not known.
    var at: String { link.target(at: place) + (position.map { "/\($0)" } ?? "") }
}
