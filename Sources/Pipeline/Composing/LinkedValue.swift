/// A value in which links are followed.
struct LinkedValue: Sendable {
    /// The same value can be reached by several paths, and different links followed in it.
    struct ID: Hashable, Sendable {
        /// Which one of the ``LinkTree`` it is.
        let node: Int
        let key: Key
    }

    /// What a reference leads to.
    enum Target: Sendable {
        case null
        /// What is no id, and the value can do without: the number of what the ``LinkBook`` tells of it.
        case invalid(Int)
        /// A target of the ``LinkBook``, by its number.
        case one(Int)
        case many([Target])
    }

    let node: Int
    let payload: [UInt8]
    let key: Key
    /// Where it stands first in the whole.
    let at: String
    /// The links that are followed in it, and what the reference at each of their places leads to.
    var links: [(placed: PlacedLink, targets: [Target])] = []
}
